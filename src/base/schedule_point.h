// schedule_point.h — places where a debug build may let other ults run, to explore schedules.
//
// The scheduler installs a hook when SchedulerOptions::yield_seed is set; layers below it call
// schedule_point() without knowing it. Release builds contain none of this.
//
// Thread safety: any thread. schedule_point() may switch, unless the caller holds a SpinLock.

#pragma once

#include <atomic>

#if !defined(NDEBUG) && !defined(HEDDLE_FORCED_YIELDS)
#define HEDDLE_FORCED_YIELDS 1
#endif

namespace heddle {

#if defined(HEDDLE_FORCED_YIELDS)

extern std::atomic<void (*)()> schedule_point_hook;

// How many SpinLocks the calling strand holds: it must not switch with one.
extern thread_local constinit int spin_locks_held;

inline void schedule_point() noexcept {
  // acquire pairs with the release of whoever installs the hook: its seed is there.
  if (auto* hook = schedule_point_hook.load(std::memory_order_acquire)) hook();
}
inline void note_locked() noexcept {
  ++spin_locks_held;
}
inline void note_unlocked() noexcept {
  --spin_locks_held;
}
inline bool may_switch_here() noexcept {
  return spin_locks_held == 0;
}

#else

inline void schedule_point() noexcept {}
inline void note_locked() noexcept {}
inline void note_unlocked() noexcept {}
inline bool may_switch_here() noexcept {
  return true;
}

#endif

}  // namespace heddle
