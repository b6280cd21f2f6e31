// The CPUs of a thread, under libc's names (affinity.h).

#include <sched.h>

#include <cerrno>
#include <cstring>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/threads/affinity.h"

using namespace heddle;
using process::is_of_process;

namespace {

int get(pid_t id, size_t bytes, cpu_set_t* set) noexcept {
  const long got = process::get_affinity(id, bytes, set);
  if (got < 0) return -1;
  const auto known = static_cast<size_t>(got);
  if (known < bytes) std::memset(reinterpret_cast<char*>(set) + known, 0, bytes - known);
  return 0;
}

}  // namespace

HEDDLE_EXPORT int sched_getaffinity(pid_t id, size_t bytes, cpu_set_t* set) noexcept {
  if (is_of_process(__builtin_return_address(0))) {
    return libc().sched_getaffinity(id, bytes, set);
  }
  return get(id, bytes, set);
}

HEDDLE_EXPORT int sched_setaffinity(pid_t id, size_t bytes, const cpu_set_t* set) noexcept {
  if (is_of_process(__builtin_return_address(0))) {
    return libc().sched_setaffinity(id, bytes, set);
  }
  return process::set_affinity(id, bytes, set) < 0 ? -1 : 0;
}

HEDDLE_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* set) noexcept {
  if (is_of_process(__builtin_return_address(0)) || pthread_equal(thread, pthread_self()) == 0) {
    return libc().pthread_getaffinity_np(thread, bytes, set);
  }
  return get(0, bytes, set) == 0 ? 0 : errno;
}

HEDDLE_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                         const cpu_set_t* set) noexcept {
  if (is_of_process(__builtin_return_address(0)) || pthread_equal(thread, pthread_self()) == 0) {
    return libc().pthread_setaffinity_np(thread, bytes, set);
  }
  return process::set_affinity(0, bytes, set) < 0 ? errno : 0;
}
