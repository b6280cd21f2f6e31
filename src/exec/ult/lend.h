// lend.h — user-level threads where no scheduler runs: kernel threads that wait lend themselves to
// them.
//
// The strands of a rank that is a process are the kernel threads of the program
// (runtime/carrier/singleton.h). What it has started is done by ults all the same. These belong to
// one worker that has no thread of its own, the lent worker:
//
//   a call that starts work      the ult gets ready; look_after_ults() (under_way.h): it runs on
//                                this kernel thread up to its first wait
//   a call that waits or tests   polls; a packet makes the ult ready; the thread switches to it,
//                                and back when no ult is ready
//   the program computes         the stand-in, a thread of ours, sees that no other thread looks
//                                after the ults, and does so (wait/stand_in.h)
//
// So work that the program waits for costs no switch between kernel threads, and work that it does
// not wait for goes on.
//
// A ult has a TLS block and a stack of its own. What it calls of the program, such as the function
// of an MPI_Op, runs there; a handler of the program that interrupts the kernel thread meanwhile
// finds the ult's thread_local variables.
//
// Thread safety: start any strand; stop when no other one starts or waits.

#pragma once

#include "base/error.h"

namespace heddle::ult {

// Makes the lent worker and the stand-in, unless they are there. From then on spawn() works. Fails
// for lack of threads.
Error start_lending();
// All ults have been joined, and no work is under way. Does nothing where nothing was started.
void stop_lending() noexcept;

}  // namespace heddle::ult
