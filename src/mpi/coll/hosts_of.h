// hosts_of.h — which hosts the members of a communicator live on, and which member leads each.
//
//   ranks      0  1  2  3  4  5  6  7        host index   leader    blocks
//   hosts      B  B  B  A  A  B  C  C        0 (B)        0         {0,1,2} {5}
//                                            1 (A)        3         {3,4}
//                                            2 (C)        6         {6,7}
//
// Hosts are numbered in the order of their lowest ranks, so all hosts use the same numbers. The
// lowest rank of a host is its leader and talks to the others; in a broadcast the root does so for
// its own host. A block is adjacent ranks on one host: what an operation that does not commute may
// combine on that host.
//
// Memory: some words a host, and a number a rank. Thread safety: constant once made.

#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mpi/group/group.h"

namespace heddle::coll {

class HostsOf {
 public:
  // The hosts of an intracommunicator's group.
  explicit HostsOf(const group::Group& group);

  int count() const noexcept { return static_cast<int>(leaders_.size()); }
  // The index of the host where a member lives.
  int index_of(const world::Process& member) const noexcept;
  int leader(int index) const noexcept { return leaders_[static_cast<std::size_t>(index)]; }

  // The ranks of a host's members, the lowest first.
  std::span<const int> members(int index) const noexcept {
    const auto host = static_cast<std::size_t>(index);
    return {members_.data() + begins_[host], members_.data() + begins_[host + 1]};
  }
  // Members on the host that has most of them.
  int most_members() const noexcept { return most_members_; }

  // The host index of each block of the group, in rank order. If all may change places
  // (`any_order`) there is one block a host, in host order.
  std::vector<int> blocks(const group::Group& group, bool any_order) const;
  // True if there is one block a host anyway.
  bool in_blocks() const noexcept { return blocks_ == count(); }

 private:
  std::vector<std::pair<int, int>> index_of_host_;  // sorted by the host's number in the job
  std::vector<int> leaders_;                        // by index
  std::vector<int> members_;                        // of all hosts, one after the other
  std::vector<std::size_t> begins_;  // in members_: of each host, by index; then the end
  int most_members_ = 0;
  int blocks_ = 0;
};

}  // namespace heddle::coll
