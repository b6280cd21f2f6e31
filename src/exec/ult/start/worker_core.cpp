#include "exec/ult/worker_core.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/platform/topology.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

namespace {
thread_local constinit cpu_set_t chosen_by_program{};
}  // namespace

const cpu_set_t& chosen_cpus() noexcept {
  return chosen_by_program;
}

void choose_cpus(const cpu_set_t& chosen) noexcept {
  chosen_by_program = chosen;
}

int core_of_caller() noexcept {
  const Ult* const caller = Ult::current_;
  return caller != nullptr ? caller->here().cpu() : -1;
}

bool leave_core(int core, const cpu_set_t& chosen) noexcept {
  const int error = errno;
  const bool left = platform::unbind_this_thread_from(core);
  // By number, as in base/platform/topology.cpp.
  if (left && CPU_COUNT(&chosen) != 0) syscall(SYS_sched_setaffinity, 0, sizeof chosen, &chosen);
  errno = error;
  return left;
}

OffCore::~OffCore() {
  const int error = errno;
  if (left_) platform::bind_this_thread(core_);
  errno = error;
}

}  // namespace heddle::ult
