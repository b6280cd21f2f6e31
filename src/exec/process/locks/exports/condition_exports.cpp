// Condition variables, barriers, semaphores and pthread_once under libc's names.
// Not under ThreadSanitizer, see thread_exports.cpp.

#if !defined(__SANITIZE_THREAD__)

#include <cerrno>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/conditions.h"
#include "exec/process/locks/once.h"
#include "exec/process/sleep/cancellation.h"

using namespace heddle;
using process::is_own_code;

namespace {

// A wait of a program. One that was woken has not been cancelled, or the signal would be lost; a
// handler that waits while its thread is cancelled is woken for nothing, as POSIX allows.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  pthread_testcancel();
  const int result = process::cond_wait(condition, mutex, clock, time);
  if (result != ECANCELED) return result;
  process::act_on_cancellation();
  return 0;
}

int wait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  pthread_testcancel();
  for (;;) {
    const int result = process::semaphore_wait(semaphore, clock, time);
    if (result == 0 || errno != ECANCELED) return result;
    process::act_on_cancellation();
  }
}

}  // namespace

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         const timespec* time) {
  return wait(condition, mutex, process::kOwnClock, time);
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         clockid_t clock, const timespec* time) {
  return wait(condition, mutex, clock, time);
}

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                       const pthread_barrierattr_t* attributes,
                                       unsigned count) noexcept {
  return process::barrier_init(barrier, attributes, count);
}

HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  return process::barrier_destroy(barrier);
}

HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return process::barrier_wait(barrier);
}

HEDDLE_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  return process::semaphore_init(semaphore, shared, value);
}

HEDDLE_EXPORT int sem_wait(sem_t* semaphore) {
  return wait(semaphore, CLOCK_REALTIME, nullptr);
}

HEDDLE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  return wait(semaphore, clock, time);
}

HEDDLE_EXPORT int sem_post(sem_t* semaphore) noexcept {
  return process::semaphore_post(semaphore);
}

#include "condition_exports.inc"

#endif
