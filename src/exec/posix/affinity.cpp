#include "exec/posix/affinity.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/platform/signals.h"
#include "exec/posix/libc_calls.h"
#include "exec/ult/worker_core.h"

namespace heddle::posix {

namespace {

// Of the calling ult; empty: it has said nothing.
thread_local constinit cpu_set_t said{};

// The core of the calling ult's worker, if `id` is the ult: to a program the main thread is the process.
// -1: else, and where the worker is not bound.
int core_of(pid_t id) noexcept {
  const bool is_caller = id == 0 || id == getpid() || id == platform::kernel_thread_id();
  return is_caller ? ult::core_of_caller() : -1;
}

bool contains(size_t bytes, const void* mask, int cpu) noexcept {
  return CPU_ISSET_S(static_cast<size_t>(cpu), bytes, static_cast<const cpu_set_t*>(mask));
}

}  // namespace

long get_affinity(pid_t id, size_t bytes, void* mask) noexcept {
  if (core_of(id) < 0) return libc_calls().syscall(SYS_sched_getaffinity, id, bytes, mask);
  const ult::OffCore meanwhile;
  const long got = libc_calls().syscall(SYS_sched_getaffinity, 0, bytes, mask);
  if (got < 0 || CPU_COUNT(&said) == 0) return got;
  cpu_set_t both{};
  const size_t common = std::min(static_cast<size_t>(got), sizeof both);
  std::memcpy(&both, mask, common);
  CPU_AND(&both, &both, &said);
  std::memset(mask, 0, static_cast<size_t>(got));
  std::memcpy(mask, &both, common);
  return got;
}

long set_affinity(pid_t id, size_t bytes, const void* mask) noexcept {
  const int core = core_of(id);
  if (core < 0 || !contains(bytes, mask, core)) {
    if (core >= 0) CPU_ZERO(&said);
    return libc_calls().syscall(SYS_sched_setaffinity, id, bytes, mask);
  }
  CPU_ZERO(&said);
  std::memcpy(&said, mask, std::min(bytes, sizeof said));
  cpu_set_t there{};  // where the worker may not be, if the program has moved it before
  CPU_SET(static_cast<size_t>(core), &there);
  return libc_calls().syscall(SYS_sched_setaffinity, 0, sizeof there, &there);
}

}  // namespace heddle::posix
