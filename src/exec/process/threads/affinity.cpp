#include "exec/process/threads/affinity.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/platform/signals.h"
#include "exec/process/exports/libc.h"
#include "exec/ult/worker_core.h"

namespace heddle::process {

namespace {

// The core of the calling ult's worker, if `id` is the ult: to a program the main thread is the
// process. -1: else, and where the worker is not bound.
int core_of(pid_t id) noexcept {
  const bool is_caller = id == 0 || id == getpid() || id == platform::kernel_thread_id();
  return is_caller ? ult::core_of_caller() : -1;
}

bool contains(size_t bytes, const void* mask, int cpu) noexcept {
  return CPU_ISSET_S(static_cast<size_t>(cpu), bytes, static_cast<const cpu_set_t*>(mask));
}

}  // namespace

long get_affinity(pid_t id, size_t bytes, void* mask) noexcept {
  if (core_of(id) < 0) return libc().syscall(SYS_sched_getaffinity, id, bytes, mask);
  const ult::OffCore meanwhile;
  return libc().syscall(SYS_sched_getaffinity, 0, bytes, mask);
}

long set_affinity(pid_t id, size_t bytes, const void* mask) noexcept {
  const int core = core_of(id);
  cpu_set_t there{};  // where the worker may not be, if the program has moved it before
  if (core >= 0) CPU_SET(static_cast<size_t>(core), &there);
  const bool stays = core >= 0 && mask != nullptr && contains(bytes, mask, core);
  const long failed = stays ? libc().syscall(SYS_sched_setaffinity, 0, sizeof there, &there)
                            : libc().syscall(SYS_sched_setaffinity, id, bytes, mask);
  if (core < 0 || failed != 0) return failed;
  cpu_set_t chosen{};
  std::memcpy(&chosen, mask, std::min(bytes, sizeof chosen));
  ult::choose_cpus(chosen);
  return 0;
}

}  // namespace heddle::process
