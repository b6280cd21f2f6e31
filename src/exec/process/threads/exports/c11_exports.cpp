// C11's threads (threads.h) under libc's names: pthreads with other results. libc's own go to its
// own pthreads and would miss ours. mtx_t, cnd_t, once_flag, thrd_t and tss_t are libc's pthread
// types in disguise.
// Not under ThreadSanitizer, see thread_exports.cpp.

#if !defined(__SANITIZE_THREAD__)

#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/conditions.h"
#include "exec/process/locks/locks.h"
#include "exec/process/locks/once.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/threads/thread_leavings.h"
#include "exec/process/threads/threads.h"

using namespace heddle;

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

namespace {

int result_of(int error) noexcept {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* mutex_of(mtx_t* mutex) noexcept {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* condition_of(cnd_t* condition) noexcept {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

// Waits as pthread_cond_wait does, or pthread_cond_timedwait.
int wait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  pthread_testcancel();
  const int error =
      process::cond_wait(condition_of(condition), mutex_of(mutex), process::kOwnClock, time);
  if (error != ECANCELED) return result_of(error);
  process::act_on_cancellation();
  return thrd_success;
}

}  // namespace

HEDDLE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  // The int is in the low half of the register that holds a pointer; thrd_join takes it from there.
  auto* const start = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(function));
  if (Rank::current() == nullptr) {
    return result_of(libc().pthread_create(thread, nullptr, start, argument));
  }
  return result_of(process::create_thread(thread, nullptr, start, argument, process::chosen_kind));
}

HEDDLE_EXPORT int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  pthread_testcancel();
  int error = 0;
  while ((error = process::join_thread(thread, &value, process::kNever)) == ECANCELED) {
    process::act_on_cancellation();
  }
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  }
  return result_of(error);
}

#include "c11_exports.inc"

#endif
