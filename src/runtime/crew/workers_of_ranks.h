// workers_of_ranks.h — the worker to which each rank of this process goes, and this as text
// (mpiexec --map-by, --rank-by, --report-bindings).
//
// Thread safety: while the scheduler runs, any thread.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/platform/placement.h"

namespace heddle::runtime {

std::vector<platform::Core> cores_of_workers();

// The worker of each rank of this process, in order.
std::vector<int> workers_of_ranks(std::size_t ranks,
                                  std::span<const platform::Core> cores_of_workers,
                                  const platform::Placement& placement);

// A line for each worker: "mpiexec: worker 0 on [B.]: ranks 0-3". `ranks`: their numbers in the
// job; `workers`: theirs.
std::string report_of(std::span<const int> ranks, std::span<const int> workers,
                      std::span<const platform::Core> cores_of_workers, bool bound);

}  // namespace heddle::runtime
