#include "launch/mpiexec/capacity.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

constexpr long long kUnlimited = std::numeric_limits<long long>::max();
constexpr long long kMappings = 7;        // of a rank
constexpr long long kBytes = 48LL << 10;  // of a rank

// The number in a file; unlimited if there is none ("max", or no such file).
long long number_in(const char* path) {
  long long number = 0;
  return std::ifstream(path) >> number && number > 0 ? number : kUnlimited;
}

long long memory() {
  struct sysinfo now = {};
  if (sysinfo(&now) != 0) return kUnlimited;
  const auto units = static_cast<long long>(now.totalram) + static_cast<long long>(now.totalswap);
  const long long machine = units * static_cast<long long>(now.mem_unit);
  return std::min({machine, number_in("/sys/fs/cgroup/memory.max"),
                   number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

[[noreturn]] void refuse(long long asked, long long most, const std::string& why) {
  fail_usage("the job has " + std::to_string(asked) + " ranks, but this machine carries at most " +
             std::to_string(most) + ": " + why);
}

}  // namespace

void check_capacity(const CommandLine& line) {
  long long ranks = 0;
  for (const Section& section : line.sections) ranks += section.ranks;

  const long long mappings = number_in("/proc/sys/vm/max_map_count");
  const long long bytes = memory();
  if (ranks > mappings / kMappings && mappings / kMappings <= bytes / kBytes) {
    refuse(ranks, mappings / kMappings,
           "the kernel allows a process " + std::to_string(mappings) +
               " memory mappings, and a rank takes at least " + std::to_string(kMappings) +
               "; start fewer or raise vm.max_map_count (sysctl)");
  }
  if (ranks > bytes / kBytes) {
    refuse(ranks, bytes / kBytes,
           "there are " + std::to_string(bytes >> 20) +
               " MiB of memory, and a rank takes at least " + std::to_string(kBytes >> 10) +
               " KiB; start fewer");
  }
}

}  // namespace heddle::launch
