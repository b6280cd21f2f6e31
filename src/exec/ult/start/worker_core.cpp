#include "exec/ult/worker_core.h"

#include <cerrno>

#include "base/platform/topology.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

int core_of_caller() noexcept {
  const Ult* const caller = Ult::current_;
  return caller != nullptr ? caller->worker->cpu() : -1;
}

bool leave_core(int core) noexcept {
  const int error = errno;
  const bool left = platform::unbind_this_thread_from(core);
  errno = error;
  return left;
}

OffCore::~OffCore() {
  const int error = errno;
  if (left_) platform::bind_this_thread(core_);
  errno = error;
}

}  // namespace heddle::ult
