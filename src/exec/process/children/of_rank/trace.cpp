// ptrace: the kernel obeys the very thread that has become the tracer, with fork or with
// PTRACE_ATTACH. A rank may run on another one since (exec/process/children/children.h).

#include <errno.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

HEDDLE_EXPORT long ptrace(__ptrace_request request, ...) noexcept {
  va_list list;
  va_start(list, request);
  const auto traced = va_arg(list, pid_t);
  auto* const address = va_arg(list, void*);
  auto* const data = va_arg(list, void*);
  va_end(list);
  const long result = libc().ptrace(request, traced, address, data);
  const auto* const host = rank_hooks();
  if (result != -1 || errno != ESRCH || host == nullptr) return result;
  if (host->children.go_to_tracer(traced) == 0)
    return libc().ptrace(request, traced, address, data);
  errno = ESRCH;
  return -1;
}
