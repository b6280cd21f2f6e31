// rseq.h — the words that the kernel writes for a kernel thread (restartable sequences, rseq(2)).
//
// glibc has each thread that it makes register an area in its TLS block. When a thread returns to
// user code after it was suspended, the kernel writes its CPU number there; if that fails, it ends
// the process by SIGSEGV. The child of a fork inherits the registration with the address, whatever
// TLS block the strand that forked has.
//
//   kernel thread         area                     because
//   --------------------  -----------------------  ------------------------------------------------
//   makes an orphan       none                     the block outlives it, and other threads use it
//   runs workers          in its WorkerThread      it forks with a ult's block installed, so glibc
//                                                  takes the thread's own stack and block in the
//                                                  child for those of a thread that is gone: new
//                                                  threads get them, or they are unmapped
//
// Rejected: no area for worker threads either. A library that registers one of its own where it
// finds none would do it for one ult's block, which the thread outlives.
//
// Thread safety: each thread about itself.

#pragma once

#include <cstddef>

namespace heddle::ult {

// What the kernel writes to. Zeros before it is registered.
struct alignas(32) RseqArea {
  std::byte words[32] = {};
};

// The kernel no longer writes into the calling thread's TLS block, and glibc asks it for the CPU
// number. Returns false if it did not write there before.
bool unregister_rseq() noexcept;

// The kernel writes to `area` in its place, until the thread ends, and in children of fork from
// then on.
void move_rseq(RseqArea& area) noexcept;

}  // namespace heddle::ult
