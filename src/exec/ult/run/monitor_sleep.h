// monitor_sleep.h — the call monitor sleeps while all workers do, and the first one that no longer
// sleeps wakes it.
//
//   monitor  sleeps = true [S1]; does any worker not sleep? [S2]
//   worker   no longer sleeps [S3]; does the monitor sleep? [S4] then it wakes it
//   S1 to S4 are seq_cst: one of the two sees the other.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform/futex.h"

namespace heddle::ult {

inline constinit std::atomic<std::uint32_t> call_monitor_sleeps{0};

inline void wake_call_monitor() noexcept {
  call_monitor_sleeps.store(0, std::memory_order_seq_cst);
  platform::futex_wake_one(call_monitor_sleeps);
}

// Called by a worker that no longer sleeps, after it has noted that by a seq_cst store.
inline void worker_left_sleep() noexcept {
  if (call_monitor_sleeps.load(std::memory_order_seq_cst) != 0) wake_call_monitor();  // [S4]
}

}  // namespace heddle::ult
