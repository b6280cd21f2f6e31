// layout.h — which host carries each rank of a job, and which node each host is on.
//
//   ranks   0 1 2 │ 3 4 │ 5 6        seven ranks in blocks on three hosts,
//   hosts     0   │  1  │  2         two hosts a node
//   nodes         0     │  1
//
// A host is an OS process; a node is a machine and may have several hosts. A test may pretend that
// this process is several hosts (Pretence).
//
// Thread safety: plain data.

#pragma once

#include <vector>

#include "net/transport/factory.h"

namespace heddle::runtime {

// The host of a rank, from 0 to hosts - 1.
using HostOf = int (*)(int rank, int ranks, int hosts);

// Consecutive ranks share a host; the numbers of ranks on two hosts differ by one at most.
inline int host_in_blocks(int rank, int ranks, int hosts) noexcept {
  return static_cast<int>(static_cast<long>(rank) * hosts / ranks);
}

// The hosts that a test asks for.
struct Pretence {
  int hosts = 1;
  HostOf host_of = nullptr;  // null: host_in_blocks
  int hosts_a_node = 1;
  bool by_launcher = false;  // none here: this process is one of several (job_board.h)
  std::vector<transport::Factory*> transports;  // between hosts, best first
};

struct Layout {
  Layout(int ranks, const Pretence& pretence);
  explicit Layout(int ranks) : Layout(ranks, Pretence{}) {}
  // On real hosts; `nodes` by host; `host_of`: for each rank, null: in blocks.
  Layout(int ranks, std::vector<int> nodes, const int* host_of = nullptr);

  int ranks() const noexcept { return static_cast<int>(host_of_rank.size()); }
  int hosts() const noexcept { return static_cast<int>(node_of_host.size()); }
  int host(int rank) const noexcept { return host_of_rank[static_cast<std::size_t>(rank)]; }
  int node(int rank) const noexcept { return node_of_host[static_cast<std::size_t>(host(rank))]; }

  std::vector<int> host_of_rank;
  std::vector<int> node_of_host;
};

}  // namespace heddle::runtime
