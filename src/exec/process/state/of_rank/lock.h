// lock.h — the locks of this library. It is loaded once for each rank, so they belong to one rank.
// Each guards one kind of the rank's private libc state and is held for a few instructions.
//
// All of them are listed here, because a strand that forks takes all of them first (base/fork.h):
// so no data is half changed in the child. The child then releases them.
//
// A strand holds one lock at a time, except in a fork. It never lets another ult run while it holds
// one. So a strand that finds a lock taken spins: the holder runs on another kernel thread.
//
// Not base/spin_lock.h: the library must not bring parts of libmpi_abi.so along.
//
// Thread safety: any thread; not recursive.

#pragma once

namespace heddle::process::of_rank {

// Lock: guards one kind of one rank's private libc state, each of them; held across a few
// instructions, and a fork, which holds all of them.
enum class Guarded {
  kEnvironment,
  kOpenFiles,
  kPipes,
  kChildren,
  kForkHandlers,
  kRandomNumbers,
  kExitHandlers,
  kOwnName,
  kCount,
};

class Guard {
 public:
  explicit Guard(Guarded what) noexcept;
  ~Guard();
  Guard(Guard&&) = delete;

 private:
  const Guarded what_;
};

// Called around a fork, in the child as well.
void hold_all_locks() noexcept;
void release_all_locks() noexcept;

}  // namespace heddle::process::of_rank
