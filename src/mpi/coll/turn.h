// turn.h — a member in one turn of its host group (turn_ring.h): a small blocking collective of few
// members that have a worker each.
//
//   if (Turn turn(comm)) …            the group has a ring, and a turn is left before the next phase
//     turn.begin(call)                which collective this is, as a Visit is told
//     turn.give(data)                 this member's slot
//     turn.take(member, &data)        another's; waits for it
//
// An operation has perform_in(Turn&, Error*), which coll.h asks before it takes a ticket. True: it
// is done. False: what is to be given does not fit into a slot, and the operation goes on as
// without a ring. All members come to the same answer: because their lengths are alike, or because
// the member that knows has said so in its slot (give_elsewhere).
//
// A member that makes another call is found out by those that read its slot; each gets an error. If
// the other goes on without the ring, they do so, too, and hear of it there (meets()).
//
// Turns are counted after the last phase that the member has taken (seat.h), by the strand that
// makes the calls. The member has left that phase: a blocking call first waits for what has been
// started before (await_started). So the phase's tables are still there, alike for all members.
//
// Thread safety: one strand of the member.

#pragma once

#include "mpi/coll/turn_ring.h"
#include "mpi/coll/visit.h"
#include "mpi/coll/wire.h"
#include "mpi/match/tag_shares.h"

namespace heddle::coll {

class Turn {
 public:
  static constexpr MPI_Count kMost = TurnRing::Slot::kMost;

  // Takes the next turn, if there is one.
  [[gnu::always_inline]] explicit Turn(comm::Comm& comm) noexcept : comm_(comm) {
    if (comm.is_inter()) return;
    Seat* const seat = comm.extras().find<Seat>();
    if (seat == nullptr || seat->part == nullptr) return;
    auto& group = static_cast<HostGroup&>(*seat->part);
    if (group.has_turns()) [[unlikely]]
      take_turn(group, *seat);
  }
  explicit operator bool() const noexcept { return slots_ != nullptr; }

  int members() const noexcept { return comm_.size(); }
  int index() const noexcept { return comm_.rank(); }
  // For messages of this operation.
  Wire wire() const noexcept {
    return {comm_, match::tag_of_hash_0((seat_->operations + 1) << 1 | 1)};
  }
  // True if a member of another call goes without the ring. This one must do so, too, so that both
  // come to a phase, where all are told.
  bool meets() const noexcept { return meets_; }
  // The operation is done.
  void end() noexcept { ++seat_->operations; }

  void begin(std::uint32_t call) noexcept { call_ = call; }

  // What this member gives. Requires that it fits.
  void give(datatype::ConstBuffer data) noexcept;
  void give_nothing() noexcept { show(0); }
  void give_elsewhere() noexcept { show(TurnRing::Slot::kElsewhere); }
  // Memory for what this member gives, and then: it is written.
  std::byte* place() noexcept { return slot(index()).payload; }
  void show(std::uint32_t bytes) noexcept;

  // What `member` gives; an error if it makes another call. `*data` stays until this turn's next
  // use. Sets *elsewhere where it gave that. May switch.
  Error take(int member, datatype::ConstBuffer* data, bool* elsewhere = nullptr);
  // For an operation that needs nothing of it but that it has come.
  Error await(int member) {
    datatype::ConstBuffer nothing;
    return take(member, &nothing);
  }

 private:
  void take_turn(HostGroup& group, Seat& seat) noexcept;
  void take_turn_in_ring(TurnRing* ring, Seat& seat) noexcept;
  void take_turn_on_node(HostGroup& group, Seat& seat) noexcept;
  TurnRing::Slot& slot(int member) const noexcept { return slots_[member]; }
  void wake_others() noexcept;
  void wait_for(const TurnRing::Slot& slot) noexcept;
  void wait_in_ring(const TurnRing::Slot& slot) noexcept;

  comm::Comm& comm_;
  Seat* seat_ = nullptr;
  TurnRing::Slot* slots_ = nullptr;  // of this turn, by member
  TurnRing* ring_ = nullptr;         // they are its; or
  NodeTurns* node_turns_ = nullptr;  // its
  std::uint32_t number_ = 0, call_ = 0;
  bool meets_ = false;
};

}  // namespace heddle::coll
