// node_way.h — the way between processes that mpiexec has started on this node: shared memory,
// which all have inherited (job_board/job_page.h).
//
// The memory tells where each host is, so no card need be carried, and no host waits for another
// one.
//
// Thread safety: way.h.

#pragma once

#include <memory>

#include "net/transport/shm/shm.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

class NodeWay final : public Way {
 public:
  // `memory`: a descriptor.
  NodeWay(int process, int processes, int memory);

  // All hosts must ask for as many channels.
  Error connect(const Opening& opening, std::vector<transport::Routes>* routes) override;
  platform::Bell* bell(int host) noexcept override { return &memory_.segment().bell(host); }

 private:
  const int descriptor_;
  transport::ShmFactory memory_;
};

}  // namespace heddle::runtime
