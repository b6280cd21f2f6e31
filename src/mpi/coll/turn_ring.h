// turn_ring.h — the ring of turns: where few members of a host, each with a worker of its own,
// leave small payloads for each other without a meeting.
//
//   phase p          turns after it                      phase p + 1
//   ───────────────  ──────────────────────────────────  ───────────
//                    turn 1      turn 2            …
//   all members      [ slot 0 ]  [ slot 0 ]
//   meet             [ slot 1 ]  [ slot 1 ]              …
//                    [ slot 2 ]  [ slot 2 ]
//
// In a turn each member that has something to give writes its slot, and each reads the slots that
// it needs. So a member waits only for what it reads: a root of a broadcast for nothing, a member
// of a barrier for all others. Each value crosses once, in its own cache lines, and members run
// ahead of each other by up to all turns between two phases.
//
// Members make the same collective calls, so they count the same turns. After kTurns turns the next
// call is an ordinary phase of the host group (visit.h), and turns begin anew after it. Which calls
// take turns: turn.h.
//
// A group's tables have a ring if each member then has a worker of its own, and there are at most
// kMostMembers. A member that moves later goes on with it, only slower, until the tables are
// renewed. Communicators that have met a few times alone get one, so that others need no memory.
//
// A reader spins while its worker has nothing else to run, then it parks:
//
//   reader                           writer
//   ------------------------------   --------------------------------------
//   joins the sleepers               writes the slot's number         [R1]
//   platform::fence_all()            if there are sleepers, rings their bells
//   looks at the number once more
//   parks, until the bell rings
//
// fence_all() makes all threads of the process pass a fence, so the writer, which comes by in each
// turn, needs none. Either the writer sees the sleeper, or the reader sees the number.
//
// Invariants
//   I1  The ring of phase p is used by members that have left phase p and have not begun p + 1. The
//       next use, after phase p + HostGroup::kRounds, begins when all have begun phase p + 2
//       (host_group.h, I1): so all have left the turns after p, and what lies there is done with.
//   I2  A slot's number tells phase and turn: no two uses of a slot have the same.
//   I3  A member alone joins the sleepers, and one strand takes it off: a writer, that then rings
//       its bell once, or the member, and then no ring comes.
//
// Thread safety: each slot is written by its member alone, one strand at a time; read by any
// member. The bell says its own.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/platform/cpu.h"
#include "exec/ult/completion.h"

namespace heddle::coll {

class TurnRing {
 public:
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr std::uint32_t kTurns = 5;  // so that tests meet the end
#else
  static constexpr std::uint32_t kTurns = 32;
#endif
  static constexpr int kMostMembers = 8;

  struct alignas(platform::kCacheLine) Slot {
    static constexpr std::uint32_t kMost = 4 * platform::kCacheLine - 16;  // bytes of a payload
    // In place of a length: what the member gives goes another way.
    static constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};

    std::atomic<std::uint32_t> number{0};
    std::uint32_t call = 0;  // visit.h, call_of()
    std::uint32_t bytes = 0;
    alignas(16) std::byte payload[kMost];
  };
  static_assert(sizeof(Slot) == std::size_t{4} * platform::kCacheLine);

  // Makes room for at most kMostMembers, so that the compiler sees that it is not too much.
  explicit TurnRing(std::size_t members)
      : members_(static_cast<int>(std::min<std::size_t>(members, kMostMembers))),
        slots_(new Slot[std::min<std::size_t>(members, kMostMembers) * kTurns]),
        bells_(new Bell[std::min<std::size_t>(members, kMostMembers)]) {}

  // The slots of a turn, by member.
  Slot* row(std::uint32_t turn) const noexcept {
    return slots_.get() + std::size_t{turn} * static_cast<std::size_t>(members_);
  }

  // Members that sleep or are about to, a bit each.
  const std::atomic<std::uint32_t>& sleepers() const noexcept {
    return sleepers_;
  }
  void goes_to_sleep(int member) noexcept {
    sleepers_.fetch_or(bit_of(member), std::memory_order_relaxed);
  }
  // True for the one that takes the member off the sleepers: the member itself, and then no ring
  // comes; or another, that rings its bell.
  bool wakes_up(int member) noexcept {
    const std::uint32_t bit = bit_of(member);
    return (sleepers_.load(std::memory_order_relaxed) & bit) != 0 &&
           (sleepers_.fetch_and(~bit, std::memory_order_acq_rel) & bit) != 0;
  }
  ult::Completion& bell(int member) noexcept {
    return bells_[static_cast<std::size_t>(member)].rung;
  }

  static constexpr std::uint32_t number_of(std::uint64_t phase, std::uint32_t turn) noexcept {
    return static_cast<std::uint32_t>(phase) * kTurns + turn;
  }

 private:
  struct alignas(platform::kCacheLine) Bell {
    ult::Completion rung;
  };
  static constexpr std::uint32_t bit_of(int member) noexcept {
    return 1U << member;
  }

  const int members_;
  // A line that members read in each turn, and that changes when one parks.
  alignas(platform::kCacheLine) std::atomic<std::uint32_t> sleepers_{0};
  const std::unique_ptr<Slot[]> slots_;
  const std::unique_ptr<Bell[]> bells_;
};

}  // namespace heddle::coll
