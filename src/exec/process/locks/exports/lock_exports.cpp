// Locks and futexes under libc's names.
// Not under ThreadSanitizer, see thread_exports.cpp.

#if !defined(__SANITIZE_THREAD__)

#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>

#include "exec/process/children/children.h"
#include "exec/process/descriptors/raw_calls.h"
#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/futex_calls.h"
#include "exec/process/locks/locks.h"
#include "exec/process/threads/affinity.h"
#include "exec/ult/program_signals.h"

using namespace heddle;
using process::is_own_code;

namespace {

// As execve does (exec/process/children/of_rank/exec.cpp): returns only if the program could not or
// must not be executed.
long execute(long number, const char* path, const long (&arguments)[6]) noexcept {
  if (process::prepare_exec(path[0] != '\0' ? path : "a file") != 0) return -1;
  libc().syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
  process::undo_exec();
  return -1;
}

// The calls that libraries make by number. LLVM's OpenMP asks so for its CPUs.
bool answer(long number, const long (&arguments)[6], long* result) noexcept {
  const auto id = static_cast<pid_t>(arguments[0]);
  const auto bytes = static_cast<size_t>(arguments[1]);
  switch (number) {
    case SYS_futex:
      return process::futex_call(arguments, result);
    case SYS_sched_getaffinity:
      *result = process::get_affinity(id, bytes, reinterpret_cast<void*>(arguments[2]));
      return true;
    case SYS_sched_setaffinity:
      *result = process::set_affinity(id, bytes, reinterpret_cast<const void*>(arguments[2]));
      return true;
    case SYS_execve:
    case SYS_execveat: {
      const char* const path = reinterpret_cast<const char*>(arguments[number == SYS_execveat]);
      if (path == nullptr) return false;
      *result = execute(number, path, arguments);
      return true;
    }
    default:
      return false;
  }
}

// A child that shares the stack, or has another one.
bool returns_elsewhere(long number) noexcept {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_vfork || number == SYS_fork;
}

}  // namespace

// libc reads as many arguments as any system call may have, and so does this: where the caller gave
// fewer, the last is whatever lies on its stack, which AddressSanitizer must not look at.
HEDDLE_EXPORT __attribute__((no_sanitize_address)) long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  long result = 0;
  const bool ours = is_own_code(__builtin_return_address(0));
  if (!ours && answer(number, arguments, &result)) return result;
  if (!ours && process::prepare_raw_call(number, arguments, &result)) return result;
  if (ours || returns_elsewhere(number)) {
    result = libc().syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                            arguments[4], arguments[5]);
  } else {
    result = ult::make_whole_call(number, arguments);
    constexpr long kErrors = 4095;
    if (result < 0 && result >= -kErrors) {
      errno = static_cast<int>(-result);
      result = -1;
    }
  }
  if (!ours) process::note_raw_call(number, arguments[0], result);
  return result;
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) noexcept {
  return process::mutex_lock_until(mutex, clock, time);
}

HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return process::rwlock_rdlock(lock, CLOCK_REALTIME, nullptr);
}

HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return process::rwlock_wrlock(lock, CLOCK_REALTIME, nullptr);
}

HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  return process::rwlock_rdlock(lock, clock, time);
}

HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  return process::rwlock_wrlock(lock, clock, time);
}

HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  return process::rwlock_unlock(lock);
}

HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return process::spin_lock(lock);
}

#include "lock_exports.inc"

#endif
