// schedule_point.h — places where a debug build may let other ults run, to explore schedules.
//
// The scheduler installs a hook when SchedulerOptions::yield_seed is set; layers below it call
// schedule_point() without knowing it. Release builds contain none of this.
//
// Thread safety: any thread. schedule_point() may switch, unless the caller is in a section without
// switch (standing.h).

#pragma once

#include <atomic>

#if !defined(NDEBUG) && !defined(HEDDLE_FORCED_YIELDS)
#define HEDDLE_FORCED_YIELDS 1
#endif

namespace heddle {

#if defined(HEDDLE_FORCED_YIELDS)

extern std::atomic<void (*)()> schedule_point_hook;

inline void schedule_point() noexcept {
  // acquire pairs with the release of the thread that installs the hook: its seed is there.
  if (auto* hook = schedule_point_hook.load(std::memory_order_acquire)) hook();
}

#else

inline void schedule_point() noexcept {}

#endif

}  // namespace heddle
