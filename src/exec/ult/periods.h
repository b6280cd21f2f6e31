// periods.h — a function that is called once in a time slice, as long as a worker has something to
// run.
//
// The call monitor calls it (preempt/call_monitor.h), so without slices it is never called. It may
// wait for no lock of libc.
//
// Thread safety: any thread.

#pragma once

namespace heddle::ult {

// nullptr, as at the start: none. A call that has begun goes on after this returns.
void set_period_hook(void (*hook)() noexcept) noexcept;

}  // namespace heddle::ult
