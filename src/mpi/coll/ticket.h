// ticket.h — the place of an operation among those of its communicator.
//
// Operations take their tickets in the order of the calls, which is the same at all members.
// What an operation does after that carries its ticket:
//
//   part of a ticket   counts                                       goes with
//   -----------------  -------------------------------------------  -------------------------------
//   number             operations called on the communicator        messages among its peers
//   phases             phases of this side's host group (of its     the events, and the messages
//                      own side, for an intercommunicator)          between the hosts of this side
//
// So several operations may be under way on one communicator, and a member may come to them in any
// order. The caller must keep one rule: a member begins phase t only after it has left phase t -
// HostGroup::kUnderWay. One strand takes started operations one by one, split ones among
// them, and a blocking call waits for them (helper.h), so they keep it.
//
// Thread safety: taken by one strand at a time of the rank; then any strand's.

#pragma once

#include "mpi/coll/host_group.h"
#include "mpi/coll/side.h"
#include "mpi/coll/wire.h"
#include "mpi/match/tag_shares.h"

namespace heddle::coll {

// In place of the root, or of a host: the result goes to all.
constexpr int kAll = -1;

// One phase of an intracommunicator's host group. There is none (0) where one member is alone, or
// where nothing is to be done.
struct Phase {
  comm::Comm& comm;
  HostGroup::Phase number;

  explicit operator bool() const noexcept { return number != 0; }
  // For messages of this phase. Even tags are phases, odd ones operations.
  Wire wire() const noexcept { return {comm, match::tag_of_hash_0(number << 1)}; }
};

class Ticket {
 public:
  // `phases`: how many the operation will go through on this side.
  [[gnu::always_inline]] Ticket(comm::Comm& comm, int phases)
      : comm_(comm),
        number_(++Seat::of(comm).operations),
        first_phase_(take_phases(side(), phases)) {}

  comm::Comm& comm() const noexcept { return comm_; }
  comm::Comm& side() const noexcept { return side_of(comm_); }

  Wire wire() const noexcept { return {comm_, match::tag_of_hash_0(number_ << 1 | 1)}; }
  Phase phase(int which = 0) const noexcept {
    return {side(), first_phase_ == 0 ? 0 : first_phase_ + static_cast<HostGroup::Phase>(which)};
  }

 private:
  static HostGroup::Phase take_phases(comm::Comm& side, int phases) {
    if (phases == 0 || side.size() == 1) return 0;
    HostGroup::of(side);  // so that a body finds it whatever strand it runs on
    Seat& seat = Seat::taken(side);
    const HostGroup::Phase first = seat.phases + 1;
    seat.phases += static_cast<HostGroup::Phase>(phases);
    return first;
  }

  comm::Comm& comm_;
  const std::uint64_t number_;
  const HostGroup::Phase first_phase_;
};

}  // namespace heddle::coll
