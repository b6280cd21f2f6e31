// test_support.h — what the tests of this folder share: a scheduler for a test, lambdas as ults.
//
// Thread safety: the test's own thread, except for Job.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "exec/ult/alert.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // everything is slower, and signals end in a report
#else
constexpr bool kSanitized = false;
#endif

namespace heddle::ult {

class ScopedScheduler {
 public:
  explicit ScopedScheduler(SchedulerOptions options) {
    Error e = start(options);
    EXPECT_FALSE(e) << e.text();
  }
  explicit ScopedScheduler(int workers, std::uint64_t yield_seed = 0)
      : ScopedScheduler(SchedulerOptions{.workers = workers, .yield_seed = yield_seed}) {}
  ~ScopedScheduler() { stop(); }
};

// Some ults that run functions of the test; joined by join() or at the end of the scope.
class Ults {
 public:
  ~Ults() { join_all(); }

  Ult* run(std::function<void()> body, Attributes attributes = {}) {
    bodies_.push_back(std::make_unique<std::function<void()>>(std::move(body)));
    Ult* ult = nullptr;
    const auto call = [](void* f) { (*static_cast<std::function<void()>*>(f))(); };
    Error e = spawn(call, bodies_.back().get(), attributes, &ult);
    EXPECT_FALSE(e) << e.text();
    ults_.push_back(ult);
    return ult;
  }
  Ult* run_on(int worker, std::function<void()> body) {
    return run(std::move(body), {.worker = worker});
  }

  void join_all() {
    for (Ult* ult : ults_) join(ult);
    ults_.clear();
  }

 private:
  std::vector<std::unique_ptr<std::function<void()>>> bodies_;
  std::vector<Ult*> ults_;
};

// Deterministic pseudo-random numbers for stress tests (xorshift).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % limit;
  }

 private:
  std::uint64_t state_;
};

// Alerts ults at random until stop(); these live until then.
class Alerter {
 public:
  Alerter(std::vector<Ult*> ults, unsigned seed)
      : thread_([this, ults = std::move(ults), seed] {
          Random random(seed);
          while (!stop_.load(std::memory_order_relaxed)) {
            alert(*ults[random.below(ults.size())]);
            if (random.below(4) == 0) std::this_thread::yield();
          }
        }) {}
  void stop() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace heddle::ult
