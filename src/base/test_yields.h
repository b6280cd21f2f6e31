// test_yields.h — schedules for tests whose strands are kernel threads.
//
//   const RandomYields yields;                    // from here to the end of the scope
//   …  in each thread:  RandomYields::seed(seed + number);
//
// At every schedule point (spin locks and more, see schedule_point.h) one thread in four lets
// another have its core, also while it holds locks: what preemption does rarely happens all the
// time. Tests whose strands are ults have SchedulerOptions::yield_seed.
//
// Thread safety: one object at a time, made and destroyed while no other thread is at a schedule
// point; seed() any thread.

#pragma once

#include <random>
#include <thread>

#include "base/schedule_point.h"

namespace heddle {

class RandomYields {
 public:
  RandomYields() noexcept { schedule_point_hook = &yield_sometimes; }
  ~RandomYields() { schedule_point_hook = nullptr; }
  RandomYields(RandomYields&&) = delete;

  static void seed(unsigned seed) { random_.seed(seed); }

 private:
  static void yield_sometimes() {
    constexpr unsigned kOneIn = 4;
    if (random_() % kOneIn == 0) std::this_thread::yield();
  }

  static inline thread_local std::minstd_rand random_;
};

}  // namespace heddle
