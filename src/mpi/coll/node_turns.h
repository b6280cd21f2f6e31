// node_turns.h — the ring of turns of members that are in several processes of a node: the slots of
// turn_ring.h in memory that the processes share.
//
//   turn   0  1  …  15 │ 16  …  31 │ 32 …        slots: turn % kTurns
//   left   ▲ shows 0   │ ▲ shows 16│ ▲ shows 32; waits until all have shown 16
//
// There are no phases between the turns, so members themselves say when storage is free: each shows
// at every kStretch-th turn that it has left all turns before that one, and goes on when all have
// shown the stretch before. So members run ahead of each other by up to two stretches.
//
// A member that waits does so as awaited_words.h says: a writer stores its slot's number and wakes
// the other processes, where a thread sleeps.
//
// The members of a communicator agree on one at the same call, when they have called some
// collectives (agree_on_turns.h).
//
// Invariants
//   I1  A member writes a slot for turn t only when all have left turn t - kTurns. Its stretch began
//       at a turn s > t - kStretch. There it waited until all had left the turns before
//       s - kStretch, and t - kTurns is one of these.
//   I2  A slot's number is that of its turn, and one; it is 0 before the first. Numbers wrap
//       around.
//
// Thread safety: each slot and count is written by its member alone, one strand at a time; read by
// any strand of any process.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/memory.h"
#include "mpi/coll/turn_ring.h"
#include "mpi/comm/comm.h"
#include "net/gateway/gateway.h"

namespace heddle::coll {

class NodeTurns {
 public:
  using Slot = TurnRing::Slot;
  static constexpr std::uint32_t kTurns = TurnRing::kTurns / 2 * 2;
  static constexpr std::uint32_t kStretch = kTurns / 2;

  static std::size_t bytes_for(int members) noexcept;
  // Zeroed memory that member 0 has taken; null: it cannot be mapped.
  static std::unique_ptr<NodeTurns> map(const comm::Comm& comm, int descriptor);
  ~NodeTurns();
  NodeTurns(NodeTurns&&) = delete;

  Slot* row(std::uint32_t turn) const noexcept {
    return slots_ + static_cast<std::size_t>(turn % kTurns) * static_cast<std::size_t>(members_);
  }

  // Before the first turn of a stretch. May switch.
  void await_room(int member, std::uint32_t turn) noexcept;

  // Called after a slot's number was stored, seq_cst.
  void wake_others() const noexcept;
  void wait(const ult::AwaitedCount& count) const noexcept { gateway_.words().wait(count); }

 private:
  struct alignas(platform::kCacheLine) Left {
    std::atomic<std::uint32_t> turn;
  };
  NodeTurns(const comm::Comm& comm, const platform::Mapping& memory);

  gateway::Gateway& gateway_;
  const platform::Mapping memory_;
  const int members_;
  Left* const left_;   // by member
  Slot* const slots_;  // by turn and member
  std::vector<int> other_hosts_;
};

}  // namespace heddle::coll
