// identity.h — a strand that changes the user or groups of the process keeps its worker.
//
// seteuid and its kind hold libc's lock of thread stacks until each kernel thread has changed itself. A
// strand that gave its worker away meanwhile (exec/ult/preempt/away.h) would keep the lock until it is run
// again, and pthread_create waits for that lock: the next strand of the worker, and even the thread
// that would take the worker from it.
//
// Thread safety: any strand.

#pragma once

namespace heddle::posix {

// The calling strand is in such a function.
bool is_changing_identity() noexcept;

class ChangingIdentity {
 public:
  ChangingIdentity() noexcept;
  ~ChangingIdentity();
  ChangingIdentity(const ChangingIdentity&) = delete;
  ChangingIdentity& operator=(const ChangingIdentity&) = delete;
};

}  // namespace heddle::posix
