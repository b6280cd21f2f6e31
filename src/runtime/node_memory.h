// node_memory.h — the ways to the other hosts of a job that mpiexec has started as several
// processes of this node: shared memory, which all have inherited (job_page.h).
//
// The memory tells where each host is, so no card need be carried, and no host waits for another
// one.
//
// Thread safety: one thread, before any strand waits for another host.

#pragma once

#include <memory>

#include "base/error.h"
#include "net/transport/routes.h"
#include "net/transport/shm/shm.h"
#include "runtime/process_rank.h"

namespace heddle::runtime {

class NodeMemory {
 public:
  // From now on threads that have nothing to run sleep at this host's bell (ult/host_bell.h). All
  // hosts must ask for as many channels. The memory must stay as long as a thread may wait.
  Error connect(const ProcessRank& process, const transport::Opening& opening,
                transport::Routes* routes);

  // The bell at which that host sleeps.
  platform::Bell& bell(int host) noexcept { return memory_->segment().bell(host); }

 private:
  std::unique_ptr<transport::ShmFactory> memory_;
};

}  // namespace heddle::runtime
