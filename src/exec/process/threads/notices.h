// notices.h — functions of the program that libc calls in threads of its own: SIGEV_THREAD of
// timers, aio, message queues and getaddrinfo_a.
//
//   libc's thread ──► start ──► a thread of the rank, made as by pthread_create
//                               ──► the program's function
//
// libc's thread belongs to no rank, so it calls nothing of the program. A notice that comes when
// the rank has ended is dropped, as at the end of a process. The thread has the usual attributes
// and the locale "C".
//
// Thread safety: any strand of a rank.

#pragma once

#include <signal.h>

namespace heddle::process {

// If `event` asks for a thread: names in it our function in place of the program's. Changes nothing
// outside of a rank, and where it has done so already.
void notify_in_rank(sigevent* event) noexcept;

}  // namespace heddle::process
