#include "base/spin_lock.h"

#include <sched.h>

#include "base/platform/cpu.h"

namespace heddle {

void SpinLock::lock_slow() noexcept {
  constexpr int kSpinsBeforeYield = 128;
  for (;;) {
    // relaxed: only try_lock's acquire lets us in.
    for (int i = 0; i < kSpinsBeforeYield; ++i) {
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
      platform::cpu_relax();
    }
    sched_yield();
  }
}

}  // namespace heddle
