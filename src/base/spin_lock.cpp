#include "base/spin_lock.h"

#include <sched.h>

#include <algorithm>

#include "base/platform/cpu.h"

namespace heddle {

void SpinLock::lock_slow(int first_pause) noexcept {
  constexpr int kPausesBeforeYield = 128;
  constexpr int kLongestPause = 16;
  for (;;) {
    // A look takes the line away from the holder, which writes what is beside the lock.
    for (int paused = 0, pause = first_pause; paused < kPausesBeforeYield; paused += pause) {
      for (int i = 0; i < pause; ++i) platform::cpu_relax();
      pause = std::min(2 * pause, kLongestPause);
      // relaxed: only try_lock's acquire lets us in.
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
    }
    sched_yield();
  }
}

}  // namespace heddle
