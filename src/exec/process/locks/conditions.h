// conditions.h — condition variables, barriers, semaphores and pthread_once of a program.
//
// Condition variables wait in the parking lot alone, ults and kernel threads alike; libc's storage
// only tells clock and kind. The waiter is in the queue before it lets the mutex go. So a thread
// that changes the condition under the mutex afterwards finds it there, and no fence is needed.
//
// Barriers are ours, in the program's storage, counted under the lock of their bucket: the last to
// come takes all waiters in the same critical section, so none touches the barrier afterwards and
// it may be destroyed at once.
//
// Semaphores are libc's, like mutexes (locks.h). What is shared between processes, and named
// semaphores, waits in libc (waiting.h). Barriers and semaphores that are not have kMark in the
// last word of their storage, which libc does not use. A shared condition variable may have a mutex
// that is not shared, whose waiters wait here; then they all do, and a signal goes to both.
//
// Results are those of the pthread and sem functions. Thread safety: any strand. Functions that
// wait may switch.

#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

namespace heddle::process {

// A null time means no deadline. The clock -1 is that of the condition variable itself, as
// timedwait uses it.
constexpr clockid_t kOwnClock = -1;
int cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
              const timespec* time) noexcept;
int cond_signal(pthread_cond_t* condition) noexcept;
int cond_broadcast(pthread_cond_t* condition) noexcept;

int barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                 unsigned count) noexcept;
int barrier_destroy(pthread_barrier_t* barrier) noexcept;
int barrier_wait(pthread_barrier_t* barrier) noexcept;

int semaphore_init(sem_t* semaphore, int shared, unsigned value) noexcept;
int semaphore_wait(sem_t* semaphore, clockid_t clock, const timespec* time) noexcept;
int semaphore_post(sem_t* semaphore) noexcept;

}  // namespace heddle::process
