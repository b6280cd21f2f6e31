// Condition variables, barriers, semaphores and pthread_once under libc's names.
// Not under ThreadSanitizer, see thread_exports.cpp.

#if !defined(__SANITIZE_THREAD__)

#include <cerrno>

#include "exec/process/exports/libc_calls.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/conditions.h"
#include "exec/process/locks/once.h"
#include "exec/process/sleep/cancellation.h"

using namespace heddle;
using posix::is_own_code;

namespace {

// A wait of a program. One that was woken has not been cancelled, or the signal would be lost; a
// handler that waits while its thread is cancelled is woken for nothing, as POSIX allows.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  pthread_testcancel();
  const int result = posix::cond_wait(condition, mutex, clock, time);
  if (result != ECANCELED) return result;
  process::act_on_cancellation();
  return 0;
}

int wait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  pthread_testcancel();
  for (;;) {
    const int result = posix::semaphore_wait(semaphore, clock, time);
    if (result == 0 || errno != ECANCELED) return result;
    process::act_on_cancellation();
  }
}

}  // namespace

#include "condition_exports.inc"

#endif
