#include "runtime/left_elsewhere.h"

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "runtime/process_rank.h"
#include "runtime/rest.h"

namespace heddle::runtime {

namespace {

enum LeftNews : std::uint32_t { kNoneHasLeft, kOneHasLeft, kNewsAreOver };
std::atomic<std::uint32_t> left_news{kNoneHasLeft};

void sleep_while_left_news_are(std::uint32_t state, std::int64_t deadline_ns) noexcept {
  while (left_news.load(std::memory_order_relaxed) == state && platform::now_ns() < deadline_ns) {
    platform::futex_wait(left_news, state, deadline_ns);
  }
}

}  // namespace

LeftElsewhere::LeftElsewhere(const Ranks& ranks) : ranks_(ranks) {
  runs_ = platform::start_own_thread({"heddle-left", run, this}, &thread_) == 0;
  if (runs_) platform::count_own_thread(1);
}

LeftElsewhere::~LeftElsewhere() {
  left_news.store(kNewsAreOver, std::memory_order_relaxed);
  if (!runs_) return;
  platform::count_own_thread(-1);
  platform::futex_wake_one(left_news);
  pthread_join(thread_, nullptr);
}

void LeftElsewhere::hear() noexcept {
  std::uint32_t before = kNoneHasLeft;
  if (left_news.compare_exchange_strong(before, kOneHasLeft, std::memory_order_relaxed)) {
    platform::futex_wake_one(left_news);
  }
}

void* LeftElsewhere::run(void* self) noexcept {
  sleep_while_left_news_are(kNoneHasLeft, platform::kNever);
  static_cast<const LeftElsewhere*>(self)->look();
  return nullptr;
}

void LeftElsewhere::look() const noexcept {
  Rest rest(processor_time_ns());
  while (left_news.load(std::memory_order_relaxed) == kOneHasLeft) {
    if (ranks_.finalize(ranks_.context)) ranks_.end_job();
    sleep_while_left_news_are(kOneHasLeft, platform::now_ns() + rest.pause_ns());
    if (!rest.after_pause(processor_time_ns())) continue;
    if (ranks_.stay(ranks_.context)) ranks_.end_job();
    rest = Rest(processor_time_ns());
  }
}

}  // namespace heddle::runtime
