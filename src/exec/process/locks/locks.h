// locks.h — mutexes, read-write locks and spin locks of a program, whose waiting ults park.
//
// The lock is libc's, in the program's storage, with libc's owner and kind: a lock is taken by
// libc's own try function and given back by libc's own unlock. Only the waiting is ours:
//
//   ult             try some times in a microsecond; busy: a Waiter in the parking lot; when woken
//                   try again
//   kernel thread   libc's lock, which sleeps on the word; libc's unlock wakes it
//   unlock          libc's, then one waiter of the parking lot
//
// So ults, kernel threads and code that never heard of us share one lock. What is shared between
// processes waits in libc outside of the worker (waiting.h). The exception is a shared mutex with
// priorities: the kernel asks for its owner by a number that a ult does not have there. A ult that
// waits for one tries again and again, and sleeps in between.
//
// A waiter that comes too late, because another thread took the lock between unlock and its turn,
// goes back to the front of the queue.
//
// Results are those of the pthread functions. Thread safety: any strand. All except unlock may
// switch.

#pragma once

#include <pthread.h>
#include <time.h>

namespace heddle::process {

int mutex_lock(pthread_mutex_t* mutex) noexcept;
int mutex_trylock(pthread_mutex_t* mutex) noexcept;
int mutex_lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept;
int mutex_unlock(pthread_mutex_t* mutex) noexcept;

// The number that libc's mutexes keep of their owner, of the calling strand.
int own_number() noexcept;

// True if processes share the mutex. It may be locked.
bool is_shared(const pthread_mutex_t& mutex) noexcept;

// A null time means no deadline.
int rwlock_rdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept;
int rwlock_wrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept;
int rwlock_unlock(pthread_rwlock_t* lock) noexcept;

// Lets other ults run while it spins.
int spin_lock(pthread_spinlock_t* lock) noexcept;

}  // namespace heddle::process
