#include "exec/process/descriptors/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace heddle::process {

namespace {

rlimit before = {};
rlimit higher = {};
bool raised = false;

}  // namespace

void raise_open_files() noexcept {
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return;
  higher = {std::max(before.rlim_cur, std::min(before.rlim_max, rlim_t{kMostOpenFiles})),
            before.rlim_max};
  raised = setrlimit(RLIMIT_NOFILE, &higher) == 0;
}

void lower_open_files_of(pid_t process) noexcept {
  rlimit present = {};
  if (!raised || prlimit(process, RLIMIT_NOFILE, nullptr, &present) != 0) return;
  if (present.rlim_cur != higher.rlim_cur || present.rlim_max != higher.rlim_max) return;
  prlimit(process, RLIMIT_NOFILE, &before, nullptr);
}

}  // namespace heddle::process
