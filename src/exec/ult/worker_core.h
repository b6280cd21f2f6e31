// worker_core.h — keeps new threads and processes from inheriting the core of a worker.
//
// The kernel gives a new thread or process the CPUs of the thread that makes it. One that is made on a worker
// would share that worker's core with all the ranks there, so it gets the CPUs that the process had at the start.
// If the program itself has bound the thread, the binding stays.
//
//   new                      freed from the core by
//   -----------------------  ------------------------------------------------------------
//   a child of fork          the scheduler, in the child
//   a kernel thread          its first function, which calls leave_core() with its creator's core_of_caller()
//   posix_spawn and its kin  the caller, by OffCore: libc gives the child no chance to act
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

// The CPU to which the calling strand's worker is bound; -1 on an unbound worker or outside of workers.
int core_of_caller() noexcept;

// Lets the calling kernel thread run on all CPUs of the process if it is bound to `core` alone.
// Allowed in a signal handler and in a child of fork. Returns false if it was not bound so.
bool leave_core(int core) noexcept;

// While this object lives, the calling strand's worker is not bound to its core. The strand may not switch.
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
