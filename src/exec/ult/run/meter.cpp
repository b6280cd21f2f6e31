#include "exec/ult/run/meter.h"

#include <time.h>

#include "base/platform/clock.h"

namespace heddle::ult {

namespace {
constinit std::atomic<bool> is_metering{false};
thread_local constinit Account* account_of_strand = nullptr;
}  // namespace

// relaxed: meters that begin a moment later lose that moment.
bool metering() noexcept {
  return is_metering.load(std::memory_order_relaxed);
}

bool start_metering() noexcept {
  return !is_metering.exchange(true, std::memory_order_relaxed);
}

std::int64_t thread_processor_time() noexcept {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Account* current_account() noexcept {
  return account_of_strand;
}

void set_current_account(Account* account) noexcept {
  account_of_strand = account;
}

void Meter::start(Account* next) noexcept {
  running_ = next;
  wall_ns_ = platform::now_ns();
  processor_ns_ = thread_processor_time();
  estimated_ns_ = 0;
  started_ = true;
}

std::int64_t Meter::spent_until(std::int64_t now, Settle settle) noexcept {
  const std::int64_t passed = now - wall_ns_;
  if (settle == Settle::kIfLong && passed < kShort && estimated_ns_ < kMostEstimated) {
    estimated_ns_ += passed;
    return passed;
  }
  const std::int64_t before = processor_ns_;
  processor_ns_ = thread_processor_time();
  const std::int64_t spent = processor_ns_ - before - estimated_ns_;
  estimated_ns_ = spent < 0 ? -spent : 0;  // charged too much: the next ones get less
  return spent < 0 ? 0 : spent;
}

void Meter::turn_to(Account* next, Settle settle) noexcept {
  busy_.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // I2: before all below, for a handler here
  if (!started_) {
    start(next);
  } else {
    const std::int64_t now = platform::now_ns();
    const std::int64_t spent = spent_until(now, settle);
    wall_ns_ = now;
    if (running_ != nullptr) {
      running_->add(spent, worker_);
      charged_ns_.store(charged_ns() + spent, std::memory_order_relaxed);
    }
    running_ = next;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);  // I2: after all above
  busy_.store(false, std::memory_order_relaxed);
}

void Meter::tick(Account* account) noexcept {
  if (busy_.load(std::memory_order_relaxed)) return;
  turn_to(started_ ? running_ : account, Settle::kNow);
}

}  // namespace heddle::ult
