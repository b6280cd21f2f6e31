#include "runtime/ways/layout.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace heddle::runtime {

Layout::Layout(int ranks, const Pretence& pretence) {
  const int hosts = std::clamp(pretence.hosts, 1, ranks);
  const HostOf host_of = pretence.host_of != nullptr ? pretence.host_of : host_in_blocks;
  for (int rank = 0; rank < ranks; ++rank) {
    host_of_rank.push_back(host_of(rank, ranks, hosts));
    assert(host_of_rank.back() >= 0 && host_of_rank.back() < hosts);
  }
  for (int host = 0; host < hosts; ++host) {
    node_of_host.push_back(host / std::max(pretence.hosts_a_node, 1));
  }
}

Layout::Layout(int ranks, std::vector<int> nodes, const int* host_of)
    : Layout(ranks, Pretence{.hosts = static_cast<int>(nodes.size())}) {
  node_of_host = std::move(nodes);
  if (host_of != nullptr) host_of_rank.assign(host_of, host_of + ranks);
}

}  // namespace heddle::runtime
