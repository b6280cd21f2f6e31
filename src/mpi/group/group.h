// group.h — an ordered set of MPI processes (MPI 5.0 §7.2.1), and the session that it comes from.
// Immutable.
//
// A group that is made of others, or of a communicator's, comes from their session. So does a
// communicator, whose session is that of its group. Errors of calls that name groups go to their
// session's error handler (MPI 5.0 §9.3), even when the session has ended. Groups of
// MPI_COMM_WORLD's kin come from none.
//
// A Group that the program may know belongs to one rank, as its handle does; a communicator and its
// duplicates have one of that rank. Groups of several ranks with equal members share one list:
// those of MPI_COMM_WORLD at all ranks of a host, and those of a part of a split communicator.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <utility>
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
      : Object(object::Kind::kGroup, lifetime),
        own_(std::move(members)),
        members_(own_),
        session_(std::move(session)) {}
  // A group with the members of another, whose list they share.
  Group(const Group& equal, SessionRef session) noexcept
      : Object(object::Kind::kGroup),
        lender_(equal.lender_ ? equal.lender_ : object::Ref<const Group>(&equal)),
        members_(equal.members_),
        session_(std::move(session)) {}

  int size() const noexcept { return size_; }
  world::Process& member(int rank) const noexcept { return *first_[rank]; }
  const Members& members() const noexcept { return members_; }

  // Null if it comes from none.
  const SessionRef& session() const noexcept { return session_; }
  session::Number session_number() const noexcept {
    return session_ ? session_->number() : session::kNone;
  }

  // MPI_UNDEFINED if the process is not a member. Cost: O(1) in a group like MPI_COMM_WORLD's,
  // else O(size).
  int rank_of(const world::Process& process) const noexcept;

 private:
  ~Group() override = default;

  const Members own_;                      // empty if it shares another's list
  const object::Ref<const Group> lender_;  // whose list it shares; null: its own
  const Members& members_;
  // Beside the list, since every message reads them: one load less.
  world::Process* const* const first_ = members_.data();
  const int size_ = static_cast<int>(members_.size());
  const SessionRef session_;
};

// MPI_GROUP_EMPTY, shared by all ranks.
Group& empty() noexcept;

// nullptr if the handle is not a group. MPI_GROUP_EMPTY is one, MPI_GROUP_NULL is not.
Group* from_handle(MPI_Group handle) noexcept;

}  // namespace heddle::group
