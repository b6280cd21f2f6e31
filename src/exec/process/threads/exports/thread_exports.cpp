// pthread_create and what one can do with a thread, under libc's names (docs/decisions/0024).

#include <cerrno>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/threads/thread_leavings.h"
#include "exec/process/threads/threads.h"

using namespace heddle;
using process::is_of_process;
using process::is_own_code;

HEDDLE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*function)(void*), void* argument) noexcept {
  const void* caller = __builtin_return_address(0);
  if (Rank::current() == nullptr || is_of_process(caller)) {
    return libc().pthread_create(thread, attributes, function, argument);
  }
  const process::ThreadKind kind =
      process::creates_kernel_threads(caller) ? process::ThreadKind::kKernel : process::chosen_kind;
  return process::create_thread(thread, attributes, function, argument, kind);
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  process::exit_thread(result);
}

// ThreadSanitizer's own functions come before ours: it asks for a thread's stack before the thread
// may run instrumented code, and does not follow what happens inside pthread_join, where a strand
// would park. Threads are the kernel's there, and what follows stays libc's; it makes keys before
// it can bear instrumented code.
#if !defined(__SANITIZE_THREAD__)

namespace {

int join(pthread_t thread, void** result, std::int64_t deadline_ns) {
  pthread_testcancel();
  for (;;) {
    const int error = process::join_thread(thread, result, deadline_ns);
    if (error != ECANCELED) return error;
    process::act_on_cancellation();
  }
}

}  // namespace

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (is_of_process(__builtin_return_address(0))) {
    return libc().pthread_key_create(key, destructor);
  }
  return process::key_create(key, destructor);
}

HEDDLE_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  if (is_own_code(__builtin_return_address(0))) {
    return libc().pthread_getattr_np(thread, attributes);
  }
  return process::get_attributes(thread, attributes);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  return process::join_thread(thread, result, 0);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                       const timespec* time) {
  std::int64_t deadline_ns = process::kNever;
  if (time != nullptr && !process::deadline_of(clock, time, &deadline_ns)) return EINVAL;
  return join(thread, result, deadline_ns);
}

HEDDLE_EXPORT int pthread_cancel(pthread_t thread) {
  return process::cancel_thread(thread);
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  return process::set_cancel_type(type, old);
}

HEDDLE_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  if (is_own_code(__builtin_return_address(0))) {
    return libc().pthread_getcpuclockid(thread, clock);
  }
  return process::get_processor_clock(thread, clock);
}

HEDDLE_EXPORT int pthread_getschedparam(pthread_t thread, int* policy,
                                        sched_param* parameters) noexcept {
  return process::get_scheduling(thread, policy, parameters);
}

#include "thread_exports.inc"

#endif

HEDDLE_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  int error = 0;
  if (process::set_name(thread, name, &error)) return error;
  return libc().pthread_setname_np(thread, name);
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t thread, char* name, size_t size) noexcept {
  int error = 0;
  if (process::get_name(thread, name, size, &error)) return error;
  return libc().pthread_getname_np(thread, name, size);
}
