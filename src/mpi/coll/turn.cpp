#include "mpi/coll/turn.h"

#include "base/platform/fence.h"
#include "mpi/coll/agree_on_turns.h"
#include "mpi/coll/node_turns.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

void Turn::take_turn(HostGroup& group, Seat& seat) noexcept {
  seat_ = &seat;
  if (group.hosts() == nullptr) {
    take_turn_in_ring(group.round(seat.phases).tables->turns.get(), seat);
  } else {
    take_turn_on_node(group, seat);
  }
}

void Turn::take_turn_in_ring(TurnRing* ring, Seat& seat) noexcept {
  if (ring == nullptr) return;
  if (seat.turns_after != seat.phases) {
    seat.turns_after = seat.phases;
    seat.turns = 0;
  }
  if (seat.turns == TurnRing::kTurns) return;
  ring_ = ring;
  const std::uint32_t turn = seat.turns++;
  number_ = TurnRing::number_of(seat.phases, turn);
  slots_ = ring->row(turn);
}

void Turn::take_turn_on_node(HostGroup& group, Seat& seat) noexcept {
  if (!seat.has_asked_for_turns) [[unlikely]] {
    if (seat.operations < HostGroup::kTurnsFrom) return;
    seat.has_asked_for_turns = true;
    seat.node_turns = agree_on_turns(comm_, group);
  }
  if (seat.node_turns == nullptr) return;
  node_turns_ = seat.node_turns;
  const std::uint32_t turn = seat.turns++;
  if (turn % NodeTurns::kStretch == 0) {
    const ult::NotedWait noted(note_other(comm_));
    node_turns_->await_room(index(), turn);
  }
  number_ = turn + 1;
  slots_ = node_turns_->row(turn);
}

void Turn::give(datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = data.bytes();
  p2p::transfer(data, datatype::bytes_at(place(), bytes), bytes);
  show(static_cast<std::uint32_t>(bytes));
}

void Turn::show(std::uint32_t bytes) noexcept {
  TurnRing::Slot& own = slot(index());
  own.call = call_;
  own.bytes = bytes;
  if (node_turns_ != nullptr) {
    own.number.store(number_, std::memory_order_seq_cst);
    return node_turns_->wake_others();
  }
  own.number.store(number_, std::memory_order_release);  // [R1]
  // relaxed: a member that goes to sleep makes this thread pass a fence between the two.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (ring_->sleepers().load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake_others();
}

void Turn::wake_others() noexcept {
  for (int member = 0; member < members(); ++member) {
    if (member != index() && ring_->wakes_up(member)) ring_->bell(member).set();
  }
}

Error Turn::take(int member, datatype::ConstBuffer* data, bool* elsewhere) {
  const TurnRing::Slot& other = slot(member);
  if (other.number.load(std::memory_order_acquire) != number_) wait_for(other);  // [A1]
  const bool is_elsewhere = other.bytes == TurnRing::Slot::kElsewhere;
  if (other.call != call_ || (is_elsewhere && elsewhere == nullptr)) [[unlikely]] {
    meets_ |= is_elsewhere;
    return disagreement(comm_, MPI_ERR_OTHER);
  }
  if (is_elsewhere) {
    *elsewhere = true;
  } else {
    *data = datatype::bytes_at(static_cast<const void*>(other.payload), other.bytes);
  }
  return {};
}

void Turn::wait_for(const TurnRing::Slot& other) noexcept {
  const ult::NotedWait noted(note_other(comm_));
  if (node_turns_ != nullptr) {
    node_turns_->wait({&other.number, number_});
  } else {
    wait_in_ring(other);
  }
}

void Turn::wait_in_ring(const TurnRing::Slot& other) noexcept {
  const auto is_there = [&] {
    return other.number.load(std::memory_order_acquire) == number_;  // [A1]
  };
  ult::Completion& bell = ring_->bell(index());
  while (!is_there()) {
    if (bell.spin({&other.number, number_})) continue;
    ring_->goes_to_sleep(index());
    platform::fence_all();
    if (is_there() && ring_->wakes_up(index())) return;
    bell.wait();
    bell.reset();
  }
}

}  // namespace heddle::coll
