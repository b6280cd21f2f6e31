#include "exec/observe/trace.h"

#include <algorithm>

#include "base/platform/clock.h"
#include "exec/rank/rank.h"
#include "exec/ult/ult.h"

namespace heddle::observe {

namespace {

// -1: the calling strand has none.
int worker_here() noexcept {
  const ult::Ult* const self = ult::current();
  return self != nullptr ? ult::worker_of(*self) : -1;
}

int rank_here() noexcept {
  const Rank* const rank = Rank::current();
  return rank != nullptr ? rank->number() : -1;
}

}  // namespace

std::uint16_t thread_here() noexcept {
  return static_cast<std::uint16_t>(std::min(Rank::current_thread, kLastThread));
}

Trace::Trace(int workers) : running_(static_cast<std::size_t>(workers)) {
  for (int i = 0; i <= workers; ++i) logs_.push_back(std::make_unique<Log>(kRoom));
}

void Trace::record(const TraceEvent& event) noexcept {
  if (is_over_.load(std::memory_order_relaxed)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::size_t index = index_of(worker_here());
  Log& log = *logs_[index];
  bool recorded = false;
  if (index < running_.size()) {
    recorded = log.add(event);
  } else {
    const SpinGuard guard(lock_);
    recorded = log.add(event);
  }
  if (recorded) return;
  end();
  dropped_.fetch_add(1, std::memory_order_relaxed);
}

void Trace::run(int worker, Now state) noexcept {
  constexpr std::int64_t kAtOnce = 1000;
  const std::size_t index = index_of(worker);
  if (index == running_.size() || is_over_.load(std::memory_order_relaxed)) return;
  const std::int64_t now = platform::now_ns();
  Running& running = running_[index];
  const bool passing =
      running.is_doubtful && state == Now::kRuns && now - running.since_ns < kAtOnce;
  if (running.since_ns != 0 && running.rank >= 0 && !passing) {
    TraceEvent event;
    event.begin_ns = running.since_ns;
    event.end_ns = now;
    event.rank = running.rank;
    event.thread = running.thread;
    // The log of this worker: a root is on no ult.
    if (!logs_[index]->add(event)) end();
  }
  running = {.since_ns = state != Now::kIdles ? now : 0,
             .rank = rank_here(),
             .thread = thread_here(),
             .is_doubtful = state == Now::kMayRun};
}

void Trace::name_run() noexcept {
  const std::size_t index = index_of(worker_here());
  if (index == running_.size()) return;
  running_[index].rank = rank_here();
  running_[index].thread = thread_here();
}

void Trace::confirm_run() noexcept {
  const std::size_t index = index_of(worker_here());
  if (index != running_.size()) running_[index].is_doubtful = false;
}

}  // namespace heddle::observe
