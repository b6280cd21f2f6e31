// places.h — where the members of a host group count themselves in: one table for a time, made from
// the workers where members are then.
//
//   member (index)  ──►  place, worker            place  ──►  core, number of members
//
// Members that have no worker share a place.
//
// A table does not change. When members have moved, the host group makes another one
// (host_group.h).
//
// Thread safety: constant.

#pragma once

#include <cstddef>
#include <vector>

#include "base/platform/topology.h"
#include "mpi/group/group.h"

namespace heddle::coll {

class Places {
 public:
  // `ranks`: the members, of this group.
  Places(const group::Group& group, const std::vector<int>& ranks);

  struct Member {
    int place;
    int worker;  // -1: none
  };
  const Member& of(int index) const noexcept { return entries_[static_cast<std::size_t>(index)]; }

  const std::vector<int>& members_at() const noexcept { return members_at_; }  // how many, by place
  const std::vector<int>& workers() const noexcept { return workers_; }        // that have a place
  const std::vector<platform::Core>& cores() const noexcept { return cores_; }  // by place

 private:
  std::vector<Member> entries_;
  std::vector<int> members_at_, workers_;
  std::vector<platform::Core> cores_;
};

}  // namespace heddle::coll
