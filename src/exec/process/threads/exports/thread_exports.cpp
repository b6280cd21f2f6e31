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
using posix::is_of_process;
using posix::is_own_code;

HEDDLE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*function)(void*), void* argument) noexcept {
  const void* caller = __builtin_return_address(0);
  if (Rank::current() == nullptr || is_of_process(caller)) {
    return libc().pthread_create(thread, attributes, function, argument);
  }
  const posix::Kind kind =
      posix::creates_kernel_threads(caller) ? posix::Kind::kKernel : posix::chosen_kind;
  return posix::create(thread, attributes, function, argument, kind);
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  posix::exit(result);
}

// ThreadSanitizer's own functions come before ours: it asks for a thread's stack before the thread
// may run instrumented code, and does not follow what happens inside pthread_join, where a strand
// would park. Threads are the kernel's there, and what follows stays libc's; it makes keys before it
// can bear instrumented code.
#if !defined(__SANITIZE_THREAD__)

namespace {

int join(pthread_t thread, void** result, std::int64_t deadline_ns) {
  pthread_testcancel();
  for (;;) {
    const int error = posix::join(thread, result, deadline_ns);
    if (error != ECANCELED) return error;
    process::act_on_cancellation();
  }
}

}  // namespace

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (is_of_process(__builtin_return_address(0))) {
    return libc().pthread_key_create(key, destructor);
  }
  return posix::key_create(key, destructor);
}

HEDDLE_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  if (is_of_process(__builtin_return_address(0))) return libc().pthread_key_delete(key);
  return posix::key_delete(key);
}

HEDDLE_EXPORT int pthread_join(pthread_t thread, void** result) {
  if (is_own_code(__builtin_return_address(0))) return libc().pthread_join(thread, result);
  return join(thread, result, posix::kNever);
}

HEDDLE_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  if (is_own_code(__builtin_return_address(0))) {
    return libc().pthread_getattr_np(thread, attributes);
  }
  return posix::get_attributes(thread, attributes);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  return posix::join(thread, result, 0);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                       const timespec* time) {
  std::int64_t deadline_ns = posix::kNever;
  if (time != nullptr && !posix::deadline_of(clock, time, &deadline_ns)) return EINVAL;
  return join(thread, result, deadline_ns);
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, time);
}

HEDDLE_EXPORT int pthread_detach(pthread_t thread) noexcept {
  if (is_own_code(__builtin_return_address(0))) return libc().pthread_detach(thread);
  return posix::detach(thread);
}

HEDDLE_EXPORT int pthread_cancel(pthread_t thread) {
  return posix::cancel(thread);
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  return posix::set_cancel_type(type, old);
}

HEDDLE_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  if (is_own_code(__builtin_return_address(0))) {
    return libc().pthread_getcpuclockid(thread, clock);
  }
  return posix::get_processor_clock(thread, clock);
}

HEDDLE_EXPORT int pthread_getschedparam(pthread_t thread, int* policy,
                                        sched_param* parameters) noexcept {
  return posix::get_scheduling(thread, policy, parameters);
}

#endif

HEDDLE_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  int error = 0;
  if (posix::set_name(thread, name, &error)) return error;
  return libc().pthread_setname_np(thread, name);
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t thread, char* name, size_t size) noexcept {
  int error = 0;
  if (posix::get_name(thread, name, size, &error)) return error;
  return libc().pthread_getname_np(thread, name, size);
}
