// directory.h — a working directory and a file mode mask for each rank.
//
// The kernel keeps both per thread once a worker has left the group that shares them
// (unshare(CLONE_FS)). Each rank that changes one gets a Directory; a worker that resumes a rank
// whose Directory is not the installed one installs it, 0.4 µs. Until the first chdir of any rank
// nothing is checked at all.
//
// To rewrite relative paths instead was rejected: paths that libraries open, *at() calls, sockets
// and children of fork would go wrong.
//
//   I1  installed[w] names the Directory that worker w's kernel thread has, whenever a rank runs.
//
// A program's own kernel thread gets the Directory that its rank had when the thread began; a later
// chdir reaches it only if it makes the call itself.
//
// Each thread of the rank that is a ult sees a change when it is next resumed.
//
// Thread safety: any strand of the rank; start_in before there are several.

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "base/spin_lock.h"

namespace heddle::process {

// The working directory and mask of one rank.
class Directory {
 public:
  Directory() = default;
  ~Directory();
  Directory(Directory&&) = delete;

  // Called for the calling rank, whose Directory this is; results and errno of libc's functions.
  int change(const char* path) noexcept;
  int change(int descriptor) noexcept;
  mode_t set_mask(mode_t mask) noexcept;

  // Starts in `path`, without a descriptor of its own: ranks that start in the same directory
  // differ from each other only once one of them changes it. Errno on -1.
  int start_in(const char* path) noexcept;

  // Installs it on the calling kernel thread; returns its id.
  std::uint64_t install() const noexcept;

  std::uint64_t id() const noexcept { return id_.load(std::memory_order_relaxed); }

  // Called around a fork.
  void hold() const noexcept ACQUIRE(lock_);
  void release() const noexcept RELEASE(lock_) { lock_.unlock(); }
  // Called in the child of a fork: another thread may have had the lock.
  void forget_holder() noexcept { new (&lock_) SpinLock(); }

 private:
  int remember() noexcept;

  // Lock: guards one rank's working directory and file mode mask, which a worker may install while
  // another one changes them; held across `fchdir`, and a fork.
  mutable SpinLock lock_;

  // The id of its present contents; 0: the process's own. Written with lock_, read without.
  std::atomic<std::uint64_t> id_{0};
  int descriptor_ GUARDED_BY(lock_) = -1;
  bool owned_ GUARDED_BY(lock_) = false;  // descriptor_ is this Directory's to close
  mode_t mask_ GUARDED_BY(lock_) = 0;
};

// Each kernel thread that takes a worker up calls it (wiring.cpp).
void separate_worker_directory(int worker) noexcept;

// A kernel thread of a rank calls it when it starts: it shares its creator's until then.
void separate_thread_directory(const Directory& directory) noexcept;

// Installs `directory` on the worker that runs the calling ult.
void enter_directory(const Directory& directory) noexcept;

}  // namespace heddle::process
