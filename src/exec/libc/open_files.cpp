#include "exec/libc/open_files.h"

#include <sys/resource.h>

namespace heddle::libc {

namespace {

rlimit before = {};
bool raised = false;

}  // namespace

void raise_open_files() noexcept {
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return;
  const rlimit higher = {before.rlim_max, before.rlim_max};
  raised = setrlimit(RLIMIT_NOFILE, &higher) == 0;
}

void lower_open_files_of(pid_t process) noexcept {
  rlimit present = {};
  if (!raised || prlimit(process, RLIMIT_NOFILE, nullptr, &present) != 0) return;
  if (present.rlim_cur != before.rlim_max || present.rlim_max != before.rlim_max) return;
  prlimit(process, RLIMIT_NOFILE, &before, nullptr);
}

}  // namespace heddle::libc
