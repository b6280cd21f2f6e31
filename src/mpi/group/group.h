// group.h — an ordered set of MPI processes (MPI 5.0 §7.2.1), and the session that it comes from.
// Immutable.
//
// A group that is made of others, or of a communicator's, comes from their session. So does a
// communicator, whose session is that of its group. Errors of calls that name groups go to their
// session's error handler (MPI 5.0 §9.3), even when the session has ended. Groups of
// MPI_COMM_WORLD's kin come from none.
//
// Groups with equal members share one list: those of a communicator and its duplicates, those of
// MPI_COMM_WORLD at all ranks of a host, and those of a part of a split communicator. The Group
// object and its handle belong to one rank.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "mpi/object/object.h"
#include "mpi/session/session.h"
#include "net/world/host.h"

namespace heddle::group {

using SessionRef = object::Ref<const session::Session>;

class Group final : public object::Object {
 public:
  using Members = std::vector<world::Process*>;
  using Object::Lifetime;

  explicit Group(Members members, SessionRef session = {},
                 Lifetime lifetime = Lifetime::kCounted) noexcept
      : Group(std::make_shared<const Members>(std::move(members)), std::move(session), lifetime) {}
  // A group whose list of members other groups share.
  Group(std::shared_ptr<const Members> members, SessionRef session,
        Lifetime lifetime = Lifetime::kCounted) noexcept
      : Object(object::Kind::kGroup, lifetime),
        members_(std::move(members)),
        first_(members_->data()),
        size_(static_cast<int>(members_->size())),
        session_(std::move(session)) {}

  int size() const noexcept { return size_; }
  world::Process& member(int rank) const noexcept { return *first_[rank]; }
  const Members& members() const noexcept { return *members_; }

  // Null if it comes from none.
  const SessionRef& session() const noexcept { return session_; }
  session::Number session_number() const noexcept {
    return session_ ? session_->number() : session::kNone;
  }

  // MPI_UNDEFINED if the process is not a member. Cost: O(1) in a group like MPI_COMM_WORLD's,
  // else O(size).
  int rank_of(const world::Process& process) const noexcept;

  // Another Group with the same members.
  object::Ref<Group> copy() const { return copy_from(session_); }
  // Another Group with the same members, which comes from that session.
  object::Ref<Group> copy_from(SessionRef session) const {
    return object::Ref<Group>::adopt(new Group(members_, std::move(session), Lifetime::kCounted));
  }

 private:
  ~Group() override = default;

  const std::shared_ptr<const Members> members_;
  world::Process* const* const
      first_;  // beside the shared list, since every message reads it: one load less
  const int size_;
  const SessionRef session_;
};

// MPI_GROUP_EMPTY, shared by all ranks.
Group& empty() noexcept;

// nullptr if the handle is not a group. MPI_GROUP_EMPTY is one, MPI_GROUP_NULL is not.
Group* from_handle(MPI_Group handle) noexcept;

}  // namespace heddle::group
