// section_without_switch.h — counts the sections that the calling strand is in and that must not
// switch: spin locks and channels that it holds, polls, and what else must end on the kernel thread
// where it began.
//
// In such a section no other ult may run on the worker, since it might wait for the section's end:
// a signal of the scheduler neither yields there nor gives the worker away (exec/ult/preempt). A
// debug build asserts that nothing parks. What libmpi_abi.so.1 exports of libc's names does not
// switch there either (decision 94).
//
// What a strand waits for in a section must end without its worker. libc's locks are of this kind
// if their holders never go away: those of the allocator and of thread stacks (decision 70).
//
// Thread safety: the strand's own; may be read in its signal handlers. The count needs no order
// among threads, and a handler finds no system call between a lock and its count.

#pragma once

namespace heddle {

extern thread_local constinit int sections_without_switch;

inline void enter_section_without_switch() noexcept {
  ++sections_without_switch;
}
inline void leave_section_without_switch() noexcept {
  --sections_without_switch;
}
inline bool may_switch_here() noexcept {
  return sections_without_switch == 0;
}

// A section for a scope.
class WithoutSwitch {
 public:
  WithoutSwitch() noexcept { enter_section_without_switch(); }
  ~WithoutSwitch() { leave_section_without_switch(); }
  WithoutSwitch(const WithoutSwitch&) = delete;
  WithoutSwitch& operator=(const WithoutSwitch&) = delete;
};

}  // namespace heddle
