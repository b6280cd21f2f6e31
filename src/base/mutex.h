// mutex.h — std::mutex with annotations (thread_annotations.h), for sections that call the kernel.
//
// It blocks the kernel thread, and so every rank of the worker until the rank that waits goes away:
// a user-level thread must not park, yield or switch while it holds one. Its holder may be away
// (exec/ult/preempt/away.h). For a few dozen instructions there is spin_lock.h.
//
// Thread safety: any thread; not recursive; the thread that locked it unlocks it.

#pragma once

#include <mutex>

#include "base/thread_annotations.h"

namespace heddle {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Locks for a scope.
class SCOPED_CAPABILITY MutexGuard {
 public:
  explicit MutexGuard(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexGuard() RELEASE() { mutex_.unlock(); }
  MutexGuard(MutexGuard&&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace heddle
