// ticket.h — the place of an operation among those of its communicator.
//
// Operations take their tickets in the order of the calls, which is the same at all members.
// What an operation does after that carries its ticket:
//
//   part of a ticket   counts                                       goes with
//   -----------------  -------------------------------------------  -------------------------------
//   number             operations called on the communicator        messages among its peers
//   turns              turns of this side's host group (of its      the events, and the messages
//                      own side, for an intercommunicator)          between the hosts of this side
//
// So several operations may be under way on one communicator, and a member may come to them in any
// order. The caller must keep one rule: a member begins turn t only after it has left turn t -
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

// One turn of an intracommunicator's host group. There is none (0) where one member is alone, or
// where nothing is to be done.
struct Turn {
  comm::Comm& comm;
  HostGroup::Turn number;

  explicit operator bool() const noexcept { return number != 0; }
  // For messages of this turn. Even tags are turns, odd ones operations.
  Wire wire() const noexcept { return {comm, match::tag_of_hash_0(number << 1)}; }
};

class Ticket {
 public:
  // `turns`: how many the operation will go through on this side.
  Ticket(comm::Comm& comm, int turns)
      : comm_(comm), number_(++Seat::of(comm).operations), first_turn_(take_turns(side(), turns)) {}

  comm::Comm& comm() const noexcept { return comm_; }
  comm::Comm& side() const noexcept { return side_of(comm_); }

  Wire wire() const noexcept { return {comm_, match::tag_of_hash_0(number_ << 1 | 1)}; }
  Turn turn(int which = 0) const noexcept {
    return {side(), first_turn_ == 0 ? 0 : first_turn_ + static_cast<HostGroup::Turn>(which)};
  }

 private:
  static HostGroup::Turn take_turns(comm::Comm& side, int turns) {
    if (turns == 0 || side.size() == 1) return 0;
    HostGroup::of(side);  // so that a body finds it whatever strand it runs on
    Seat& seat = Seat::taken(side);
    const HostGroup::Turn first = seat.turns + 1;
    seat.turns += static_cast<HostGroup::Turn>(turns);
    return first;
  }

  comm::Comm& comm_;
  const std::uint64_t number_;
  const HostGroup::Turn first_turn_;
};

}  // namespace heddle::coll
