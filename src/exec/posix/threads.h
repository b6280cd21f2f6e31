// threads.h — POSIX threads that a rank creates: kernel threads for now, each of them in its rank.
//
// libmpi_abi.so.1 exports pthread_create, pthread_join, pthread_exit and pthread_getattr_np, and
// stands before libc in the global scope, so that it also catches libraries that ranks share, such
// as libgomp, whose threads call back into the program. (libheddle_libc.so, private to each image,
// would miss them.) Calls from libmpi_abi.so.1 itself go straight to libc.
//
//   pthread_create        the new thread enters its creator's rank, with its locale, working
//                         directory and a signal stack
//   pthread_join          from a ult: parks, because the thread may be waiting for a message of a
//                         rank that needs this worker
//   pthread_exit          of a rank's main ult: waits for the rank's other threads and then leaves
//                         the program as exit(0); destructors of objects on the stack do not run
//   pthread_getattr_np    knows the stack of the calling ult, which libc's does not
//
// POSIX threads on ults (mutexes that park, pthread_create as spawn) will live in this folder.
//
// Thread safety: any strand.

#pragma once

#include "exec/rank/rank.h"

namespace heddle::posix {

// Threads of `rank` that have begun and not ended. While there are any, the rank's image and the
// Rank itself must stay: nobody can end a thread from outside.
int live_threads(Rank& rank) noexcept;

}  // namespace heddle::posix
