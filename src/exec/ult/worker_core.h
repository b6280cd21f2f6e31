// worker_core.h — keeps new threads and processes from inheriting the core of a worker.
//
// The kernel gives a new thread or process the CPUs of the thread that makes it. One that is made
// on a worker would share that worker's core with all the ranks there. So it gets the CPUs that its
// creator's program has chosen, or those that the process had at the start. If the program has
// moved the worker off its core, the kernel's rule holds.
//
//   new                      freed from the core by
//   -----------------------  ------------------------------------------------------------
//   a child of fork          the scheduler, in the child
//   a kernel thread          its first function, which calls leave_core() with its creator's core
//                            and choice
//   posix_spawn and its kin  the caller, by OffCore: where libc makes the child, it gives it no
//                            chance to act
//
// Thread safety: any strand.

#pragma once

#include <sched.h>

namespace heddle::ult {

// The CPU to which the calling strand's worker is bound; -1 on an unbound worker or outside of
// workers.
int core_of_caller() noexcept;

// The CPUs that the program has chosen for the calling strand; empty, as at the start: all of the
// process. A choice moves no worker.
const cpu_set_t& chosen_cpus() noexcept;
void choose_cpus(const cpu_set_t& chosen) noexcept;

// Lets the calling kernel thread run on all CPUs of the process, or on those chosen, if it is bound
// to `core` alone. Allowed in a signal handler and in a child of fork. Returns false if it was not
// bound so.
bool leave_core(int core, const cpu_set_t& chosen = chosen_cpus()) noexcept;

// While this object lives, the calling strand's worker is not bound to its core. The strand may not
// switch.
class OffCore {
 public:
  OffCore() noexcept : core_(core_of_caller()), left_(leave_core(core_)) {}
  ~OffCore();
  OffCore(OffCore&&) = delete;

 private:
  const int core_;
  const bool left_;
};

}  // namespace heddle::ult
