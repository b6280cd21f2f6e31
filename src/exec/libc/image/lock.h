// lock.h — a lock for the few instructions that change a rank's private libc state.
//
// Not base/spin_lock.h: the library must not bring parts of libmpi_abi.so along. Its holder never
// switches, so a strand that finds it taken waits for another kernel thread only.
//
// Thread safety: any thread; not recursive.

#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::libc_image {

class Lock {
 public:
  void lock() noexcept {
    while (__atomic_exchange_n(&held_, true, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
  }
  void unlock() noexcept { __atomic_store_n(&held_, false, __ATOMIC_RELEASE); }

 private:
  bool held_ = false;
};

class Guard {
 public:
  explicit Guard(Lock& lock) noexcept : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace heddle::libc_image
