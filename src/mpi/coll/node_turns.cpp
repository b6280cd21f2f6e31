#include "mpi/coll/node_turns.h"

#include <sys/mman.h>

#include <algorithm>

namespace heddle::coll {

std::size_t NodeTurns::bytes_for(int members) noexcept {
  const auto count = static_cast<std::size_t>(members);
  return platform::round_up(count * (sizeof(Left) + kTurns * sizeof(Slot)), platform::page_size());
}

NodeTurns::NodeTurns(const comm::Comm& comm, const platform::Mapping& memory)
    : gateway_(gateway::Gateway::here()),
      memory_(memory),
      members_(comm.size()),
      left_(static_cast<Left*>(memory.low)),
      slots_(reinterpret_cast<Slot*>(left_ + members_)) {
  for (int rank = 0; rank < members_; ++rank) {
    const int host = comm.group().member(rank).host;
    const bool is_known = std::count(other_hosts_.begin(), other_hosts_.end(), host) != 0;
    if (host != comm.group().member(comm.rank()).host && !is_known) other_hosts_.push_back(host);
  }
}

NodeTurns::~NodeTurns() {
  platform::unmap(memory_);
}

std::unique_ptr<NodeTurns> NodeTurns::map(const comm::Comm& comm, int descriptor) {
  const std::size_t bytes = bytes_for(comm.size());
  if (descriptor < 0) return nullptr;
  void* const low = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (low == MAP_FAILED) return nullptr;
  return std::unique_ptr<NodeTurns>(new NodeTurns(comm, {low, bytes, 0}));
}

void NodeTurns::await_room(int member, std::uint32_t turn) noexcept {
  left_[member].turn.store(turn, std::memory_order_seq_cst);
  wake_others();
  for (int other = 0; other < members_; ++other) {
    if (other != member) wait({&left_[other].turn, turn - kStretch});
  }
}

void NodeTurns::wake_others() const noexcept {
  for (const int host : other_hosts_) {
    gateway_.by_host()[static_cast<std::size_t>(host)]->transport->wake_host(host);
  }
  gateway_.words().look();
}

}  // namespace heddle::coll
