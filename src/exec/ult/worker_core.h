// worker_core.h — the core that a worker is bound to, and what must not inherit it.
//
// The kernel gives a new thread or process the CPUs of the thread that makes it. Made on a worker, it
// would share that worker's core with all the ranks there; so it gets the CPUs that the process had at
// first. One that has been bound otherwise, by the program, stays as it is.
//
//   what                     who lets it go
//   -----------------------  ------------------------------------------------------------
//   a child of fork          the scheduler, in the child
//   a kernel thread          its first function: leave_core() of what core_of_caller() said
//   posix_spawn and its kin  the caller, by OffCore: libc gives the child no chance to act
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

// The CPU that the calling strand's worker is bound to; -1: it is on no worker, or on an unbound one.
int core_of_caller() noexcept;

// Lets the calling kernel thread run on all CPUs of the process if it is bound to `core` alone.
// Allowed in a signal handler and in a child of fork. False: it was not.
bool leave_core(int core) noexcept;

// The calling strand's worker is off its core as long as this lives. May not switch meanwhile.
class OffCore {
 public:
  OffCore() noexcept : core_(core_of_caller()), left_(leave_core(core_)) {}
  ~OffCore();
  OffCore(const OffCore&) = delete;
  OffCore& operator=(const OffCore&) = delete;

 private:
  const int core_;
  const bool left_;
};

}  // namespace heddle::ult
