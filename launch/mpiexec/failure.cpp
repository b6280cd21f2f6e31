#include "launch/mpiexec/failure.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace heddle::launch {

namespace {

struct Limit {
  int error;
  __rlimit_resource resource;
  const char* option;
};
constexpr Limit kLimits[] = {{EMFILE, RLIMIT_NOFILE, "ulimit -n"},
                             {EAGAIN, RLIMIT_NPROC, "ulimit -u"},
                             {ENOMEM, RLIMIT_AS, "ulimit -v"}};

}  // namespace

std::string cause_of(int error) {
  std::string text = std::strerror(error);
  for (const Limit& each : kLimits) {
    rlimit limit{};
    if (each.error != error || getrlimit(each.resource, &limit) != 0) continue;
    if (limit.rlim_cur == RLIM_INFINITY) continue;
    const rlim_t unit = each.resource == RLIMIT_AS ? 1024 : 1;  // as the shell counts
    text += " (the limit is " + std::to_string(limit.rlim_cur / unit) + ": " + each.option +
            "; raise it or start fewer ranks)";
  }
  return text;
}

}  // namespace heddle::launch
