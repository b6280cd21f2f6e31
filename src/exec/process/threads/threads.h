// threads.h — POSIX threads that a rank creates: ults of the rank, or kernel threads in it.
//
//   ThreadKind::kUlt     a thread is a ult, on the worker where its rank has the fewest of them
//   ThreadKind::kKernel  the kernel runs it beside the workers; it calls MPI as a strand that parks
//                        on a futex
//
// A thread is a kernel thread in either case if a library creates it that waits in the kernel for
// its own threads (creates_kernel_threads), if the program gives the stack, or if no scheduler runs
// (a singleton). Both kinds inherit their creator's rank, locale and working directory, live in one
// list and are joined by one function.
//
// How a ult thread ends: its function returns, or libc's pthread_exit unwinds its stack, runs its
// cleanup handlers and the destructors of its frames, down to a cleanup handler of ours at the
// base. Then destructors of thread_locals and keys run, then join returns.
//
// Thread safety: any strand.

#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <string_view>

#include "base/settings_table.h"
#include "exec/rank/rank.h"
#include "exec/ult/ult.h"

namespace heddle::process {

using ThreadKind = settings::PosixThreads;

// The kind that pthread_create makes (HEDDLE_POSIX_THREADS).
extern const ThreadKind chosen_kind;

// True if threads that code at `caller` creates have to be kernel threads.
bool creates_kernel_threads(const void* caller) noexcept;

// Results of the pthread functions.
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                  void* argument, ThreadKind kind) noexcept;

// May switch. `deadline_ns` on CLOCK_MONOTONIC; kNever; 0: EBUSY at once (tryjoin). ECANCELED: the
// calling thread must act on its cancellation; `thread` may still be joined.
int join_thread(pthread_t thread, void** result, std::int64_t deadline_ns) noexcept;
int detach_thread(pthread_t thread) noexcept;

// libc's pthread_cancel; it also ends the thread's wait at a cancellation point. Does nothing to a
// thread that is over.
int cancel_thread(pthread_t thread) noexcept;

// pthread_setcanceltype of a ult or a kernel thread; for a ult see cancellation.h.
int set_cancel_type(int type, int* old);

// Unwinds the calling thread. A rank's main strand waits for the rank's other threads and then
// leaves the program as exit(0); objects on its stack are not destroyed, unless it was cancelled
// and has been unwound. So does, in a child of fork, the strand that has forked, if it was a ult.
[[noreturn]] void exit_thread(void* result);

// Does what pthread_getattr_np does, also for ults, whose stack libc does not know.
int get_attributes(pthread_t thread, pthread_attr_t* attributes) noexcept;

// As pthread_getcpuclockid. The kernel has no clock of a ult: it gets the one that means the
// calling thread (process/time/processor_time.h), of other ults of the rank ENOENT.
int get_processor_clock(pthread_t thread, clockid_t* clock) noexcept;

// As pthread_getschedparam. libc would ask the kernel for a thread that a ult does not have: a ult
// is scheduled as its worker.
int get_scheduling(pthread_t thread, int* policy, sched_param* parameters) noexcept;

// The name of a ult, which the kernel does not know. False if it is not a ult of this rank.
bool set_name(pthread_t thread, const char* name, int* error) noexcept;
bool get_name(pthread_t thread, char* name, size_t size, int* error) noexcept;

// Threads of `rank` that have begun and not ended. While there are any, the rank's image and the
// Rank itself must stay: a thread cannot be ended from outside.
int live_threads(Rank& rank) noexcept;

// Which thread of `rank` this ult is; 0: none, so the main strand or one of ours.
int number_of(Rank& rank, const ult::Ult& ult) noexcept;

// The threads of `rank` that are ults go to this worker, each at its next turn; new ones are spread
// as if the main strand ran there. Never switches.
void move_threads(Rank& rank, int worker) noexcept;

// Called when all ranks of a job have ended: frees what detached threads left. Returns true if some
// of them that are ults still run; they stand still when the scheduler stops.
bool ults_remain() noexcept;

// True for a thread of the calling strand's rank that is a ult.
bool is_ult_thread(pthread_t thread) noexcept;

}  // namespace heddle::process
