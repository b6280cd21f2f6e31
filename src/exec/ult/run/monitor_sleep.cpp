#include "exec/ult/run/monitor_sleep.h"

#include "base/platform/futex.h"

namespace heddle::ult {

constinit std::atomic<std::uint32_t> call_monitor_sleeps{0};

void wake_call_monitor() noexcept {
  call_monitor_sleeps.store(0, std::memory_order_seq_cst);
  platform::futex_wake_one(call_monitor_sleeps);
}

}  // namespace heddle::ult
