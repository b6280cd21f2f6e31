#include "mpi/topo/of_comm.h"

#include <utility>

namespace heddle::topo {

namespace {

struct OfComm final : comm::Extra {
  static constexpr comm::ExtraSlot kSlot = comm::ExtraSlot::kTopology;

  explicit OfComm(std::shared_ptr<const Topology> its_topology) noexcept
      : topology(std::move(its_topology)) {}
  std::unique_ptr<Extra> for_duplicate() const override {
    return std::make_unique<OfComm>(topology);
  }

  const std::shared_ptr<const Topology> topology;
};

}  // namespace

const Topology* topology_of(const comm::Comm& comm) noexcept {
  const auto* const extra = comm.extras().find<OfComm>();
  return extra != nullptr ? extra->topology.get() : nullptr;
}

void give_topology(comm::Comm& comm, Topology::Shape shape, int rank) {
  auto topology = std::make_shared<const Topology>(std::move(shape), rank);
  comm.extras().put(std::make_unique<OfComm>(std::move(topology)));
}

Error find_neighborhood(const comm::Comm& comm, const Neighborhood** out) {
  const Topology* const topology = topology_of(comm);
  if (topology == nullptr) {
    return Error::make(MPI_ERR_TOPOLOGY, "argument comm is %s, which has no topology",
                       describe(comm).c_str());
  }
  *out = &topology->neighborhood();
  return {};
}

}  // namespace heddle::topo
