// own_thread.h — the library's own kernel threads. All of them are made here (a test checks that).
//
// A new kernel thread takes much from its creator, which may be the program's, and from the limits
// that the user has set for programs. An own thread does not:
//
//   attribute            of a new thread                     of an own thread
//   -------------------  ----------------------------------  --------------------------------------
//   stack                RLIMIT_STACK, from which static      kOwnStackBytes and static TLS
//                        TLS is taken (263 KB under mpiexec)
//   signals              blocked as its creator's            all blocked, from its first
//                                                            instruction
//   CPUs                 its creator's                       those of the process when this library
//                                                            was loaded
//   policy, priority,    its creator's                       those of the process's first thread,
//   niceness                                                 as far as the kernel allows
//   name                 its creator's                       the name given
//
// Two kinds of threads are made elsewhere: the one that leaves its TLS block to a ult
// (exec/ult/switch/orphan.h), and the program's own (exec/process/threads).
//
// Thread safety: any thread.

#pragma once

#include <pthread.h>

#include <cstddef>

namespace heddle::platform {

inline constexpr std::size_t kOwnStackBytes = std::size_t{1} << 20;

// The part of a thread's stack that libc takes for static TLS and the thread's descriptor. A
// constant of the process.
std::size_t static_tls_bytes() noexcept;

struct OwnThread {
  const char* name = nullptr;  // at most 15 characters
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
};

// Both return an errno, 0 on success. The thread's own function counts, or its caller (foreign.h).
int start_own_thread(const OwnThread& wanted, pthread_t* out) noexcept;
int start_detached_own_thread(const OwnThread& wanted) noexcept;

}  // namespace heddle::platform
