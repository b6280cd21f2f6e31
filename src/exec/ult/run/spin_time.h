// spin_time.h — how long a worker that has nothing to run spins before it sleeps in the kernel.
//
// Spinning pays where the next event comes soon. A sleep that was short should have been a spin; a
// long one shows that the spin before it was for nothing. Most of a short one is the waking up, and
// it must count as short: two workers that wake each other in turn would else never spin again. A
// halted virtual core takes 50 us to wake, on a busy host more than any first guess: hence the
// doubling.
//
//   time       is                                              begins again
//   ---------  ----------------------------------------------  ------------------------------
//   idle       from the first is_over() that is asked          at begin_anew(): something came
//   the spin   the usual one at first; 1/8 to 4 times that     never; slept() adapts it
//
// Thread safety: none; the strands of the worker.

#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::ult {

class SpinTime {
 public:
  // `usual_ns` is SchedulerOptions::spin_ns.
  void start(std::int64_t usual_ns) noexcept { usual_ns_ = spin_ns_ = usual_ns; }

  // There is something to do: the next idle time begins later.
  void begin_anew() noexcept { idle_since_ns_ = 0; }
  // True if the worker is to sleep now.
  bool is_over(std::int64_t now_ns) noexcept {
    if (idle_since_ns_ == 0) idle_since_ns_ = now_ns;
    return now_ns - idle_since_ns_ >= spin_ns_ || now_ns - left_ns_ < kSoonNs;
  }
  // A ult goes on outside of the worker, on its core perhaps, and is likely to be back soon. A
  // worker that spins would keep the core from it.
  void expect_back(std::int64_t now_ns) noexcept { left_ns_ = now_ns; }
  // The worker has slept for this time.
  void slept(std::int64_t ns) noexcept {
    if (ns <= kShortSleeps * usual_ns_) {
      spin_ns_ = std::clamp(2 * spin_ns_, usual_ns_, kMost * usual_ns_);
    } else if (ns > kLongSleeps * usual_ns_) {
      spin_ns_ = std::max(spin_ns_ / 2, usual_ns_ / kLeastPart);
    }
    begin_anew();
  }

 private:
  static constexpr std::int64_t kSoonNs = 1'000'000;
  static constexpr std::int64_t kShortSleeps = 2, kLongSleeps = 10;  // usual spins
  static constexpr std::int64_t kMost = 4, kLeastPart = 8;

  std::int64_t usual_ns_ = 0;
  std::int64_t spin_ns_ = 0;
  std::int64_t idle_since_ns_ = 0;  // 0: not idle
  std::int64_t left_ns_ = 0;
};

}  // namespace heddle::ult
