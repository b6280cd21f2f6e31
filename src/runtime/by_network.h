// by_network.h — processes that mpiexec has started on this node, where they are to talk by the
// network (HEDDLE_NETWORK).
//
// Thread safety: one thread.

#pragma once

#include <memory>

#include "runtime/launched_job.h"
#include "runtime/process_rank.h"

namespace heddle::runtime {

// The job by its page (page_launcher.h), and the memory of the node is closed; null if they talk
// through that.
std::unique_ptr<LaunchedJob> by_network(const ProcessRank& process);

}  // namespace heddle::runtime
