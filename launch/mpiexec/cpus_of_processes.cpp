#include "launch/mpiexec/cpus_of_processes.h"

#include <iostream>

#include "base/platform/placement.h"
#include "base/platform/topology.h"

namespace heddle::launch {

std::vector<std::vector<int>> cpus_of_processes(const CommandLine& line, int count) {
  std::vector<std::vector<int>> cpus(static_cast<std::size_t>(count));
  if (line.processes != 0) return cpus;
  if (!line.binds || !(line.bind_to || line.placement.map_by)) {
    if (line.report_bindings) std::cerr << "mpiexec: processes are not bound\n";
    return cpus;
  }
  const std::vector<platform::Core>& cores = platform::usable_cores();
  const auto bound = platform::bind_processes(cpus.size(), cores, line.placement,
                                              line.bind_to.value_or(platform::Part::kCore));
  for (std::size_t i = 0; i < bound.size(); ++i) {
    for (const std::size_t core : bound[i]) cpus[i].push_back(cores[core].cpu);
    if (line.report_bindings) {
      std::cerr << "mpiexec: rank " << i << " on " << platform::draw(cores, bound[i]) << "\n";
    }
  }
  return cpus;
}

}  // namespace heddle::launch
