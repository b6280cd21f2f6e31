#include "mpi/coll/hosts_of.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>

namespace heddle::coll {

HostsOf::HostsOf(const group::Group& group) {
  std::vector<int> host_of(static_cast<std::size_t>(group.size()));  // by rank
  std::vector<std::size_t> counts;                                   // of members, by host
  int last = -1;
  for (int rank = 0; rank < group.size(); ++rank) {
    const std::pair<int, int> wanted{group.member(rank).host, count()};
    auto found =
        std::lower_bound(index_of_host_.begin(), index_of_host_.end(), std::pair{wanted.first, 0});
    if (found == index_of_host_.end() || found->first != wanted.first) {
      found = index_of_host_.insert(found, wanted);
      leaders_.push_back(rank);
      counts.push_back(0);
    }
    ++counts[static_cast<std::size_t>(found->second)];
    host_of[static_cast<std::size_t>(rank)] = found->second;
    blocks_ += found->second != std::exchange(last, found->second);
  }
  most_members_ = static_cast<int>(*std::max_element(counts.begin(), counts.end()));
  begins_.assign(1, 0);
  std::partial_sum(counts.begin(), counts.end(), std::back_inserter(begins_));
  members_.resize(host_of.size());
  std::vector<std::size_t> next = begins_;
  for (int rank = 0; rank < group.size(); ++rank) {
    members_[next[static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)])]++] = rank;
  }
}

int HostsOf::index_of(const world::Process& member) const noexcept {
  const auto found =
      std::lower_bound(index_of_host_.begin(), index_of_host_.end(), std::pair{member.host, 0});
  assert(found != index_of_host_.end() && found->first == member.host);
  return found->second;
}

std::vector<int> HostsOf::blocks(const group::Group& group, bool any_order) const {
  if (any_order || in_blocks()) {
    std::vector<int> hosts(leaders_.size());
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
  }
  std::vector<int> hosts;
  hosts.reserve(static_cast<std::size_t>(blocks_));
  for (const world::Process* member : group.members()) {
    const int host = index_of(*member);
    if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace heddle::coll
