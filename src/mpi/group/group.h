// group.h — an ordered set of MPI processes (MPI 5.0 §7.2.1). Immutable.
//
// Ranks of one host share the Group of their MPI_COMM_WORLD.

#pragma once

#include <mpi.h>

#include <vector>

#include "base/error.h"
#include "mpi/object/object.h"
#include "net/world/process.h"

namespace heddle::group {

class Group final : public object::Object {
 public:
  explicit Group(std::vector<world::Process*> members,
                 Lifetime lifetime = Lifetime::kCounted) noexcept
      : Object(object::Kind::kGroup, lifetime), members_(std::move(members)) {}
  using Object::Lifetime;

  int size() const noexcept { return static_cast<int>(members_.size()); }
  world::Process& member(int rank) const noexcept { return *members_[static_cast<size_t>(rank)]; }

  // MPI_UNDEFINED if the process is not a member. Cost: O(size).
  int rank_of(const world::Process& process) const noexcept;

 private:
  const std::vector<world::Process*> members_;
};

// nullptr if the handle is not a group. MPI_GROUP_EMPTY is one, MPI_GROUP_NULL is not.
Group* from_handle(MPI_Group handle) noexcept;

}  // namespace heddle::group
