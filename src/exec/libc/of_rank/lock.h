// lock.h — the locks of the library, each held for the few instructions that change one kind of a rank's private
// libc state.
//
// All of them are listed here, because a fork holds all of them (host: exec/libc/children.h). Only the strand
// that forks goes on in the child, which so finds every lock free and what it guards whole.
//
// The holder of one takes no other one. It never switches, so a strand that finds it taken waits for another
// kernel thread only.
//
// Not base/spin_lock.h: the library must not bring parts of libmpi_abi.so along.
//
// Thread safety: any thread; not recursive.

#pragma once

namespace heddle::libc_of_rank {

enum class Guarded {
  kEnvironment,
  kOpenFiles,
  kPipes,
  kChildren,
  kRandomNumbers,
  kExitHandlers,
  kOwnName,
  kCount,
};

class Guard {
 public:
  explicit Guard(Guarded what) noexcept;
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  const Guarded what_;
};

// Around a fork, in the child as well.
void hold_all_locks() noexcept;
void release_all_locks() noexcept;

}  // namespace heddle::libc_of_rank
