// meeting.h — where the members of an intracommunicator meet for a collective: the one body of
// barrier, bcast, reduce and allreduce among ranks of one host.
//
//   stage 1   members of a worker count themselves in at their place      arrivals.h
//   stage 2   the last of a place counts for it, up a tree of workers     arrivals.h
//   stage 3   between hosts: the last of all would talk for this host; there are no others yet
//   release   the last of all opens the gate; each worker's frozen ranks
//             are spliced into its run queue                              exec/ult/gate.h
//
// Each collective is one turn, or two. Turns follow each other; their storage is a ring of rounds:
//
//   turn   1        2        3        4        5      …
//   round  [1]      [2]      [3]      [0]      [1]    …    kRounds = 4
//
//   who       does in a turn
//   --------  --------------------------------------------------------------------------------
//   member    begins it: waits until the turn kAhead before it is complete
//             writes what the others need, arrives, waits or goes on, reads what others wrote
//   the last  does what must be done once, then opens `complete`; it finds out if the members
//             disagree about what they are doing, and tells those who wait
//   a root    opens `ready` when its data are there, for a broadcast
//
// Invariants
//   I1  A turn is complete when all have arrived. So whoever begins turn t knows that everybody has
//       arrived in turn t - kAhead, and has left the turns before: t's round is free.
//   I2  A member arrives once in each turn, after its last use of what a root lent for it, and
//       before it uses what the last one made.
//   I3  Storage of a turn that others read after they have arrived stays until they begin the next.
//   I4  A gate's waiters for turn s are in turn s, or begin turn s + kAhead. All have passed before
//       somebody waits there again, in turn s + kRounds: kRounds >= 2 kAhead.
//
// Thread safety: one strand of a member at a time, any strand; members at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/cpu.h"
#include "exec/ult/gate.h"
#include "mpi/coll/arrivals.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"

namespace heddle::coll {

// What members must agree on, as a number: which operation, its root and its length. A broadcast
// gives no length: its receivers compare theirs with the root's.
enum class What : std::uint8_t { kBarrier, kBcast, kReduce, kAllreduce };
inline std::uint32_t call_of(What what, int root, MPI_Count bytes) noexcept {
  std::uint64_t all = static_cast<std::uint64_t>(bytes) * 0x9e3779b97f4a7c15;
  all = (all ^ (static_cast<std::uint64_t>(root) << 8 | static_cast<std::uint64_t>(what))) *
        0xd6e8feb86659fd93;
  return static_cast<std::uint32_t>(all >> 40);
}

// What a member lends to the others until the turn after this one is complete.
struct Lent {
  const void* data;
  void* result;
  const datatype::Datatype* type;
};

class Meeting final : public world::SharedPart {
 public:
  using Turn = ult::Gate::Turn;

  struct alignas(platform::kCacheLine) Line {
    std::byte bytes[platform::kCacheLine];
  };

  struct Round {
    explicit Round(const Meeting& meeting);

    Arrivals arrivals;
    ult::Gate complete;
    ult::Gate ready;
    datatype::ConstBuffer source;  // the root's, while `ready` is open
    bool unlike = false;           // the last one's finding, while `complete` is open
    const std::unique_ptr<Lent[]> lent;
    const std::unique_ptr<Line[]> board;  // for small payloads
  };

  // The calling rank's. Requires an intracommunicator of more than one member.
  static Meeting& of(comm::Comm& comm) {
    world::SharedPart* part = comm.seat().part;
    return part != nullptr ? static_cast<Meeting&>(*part) : take_seat(comm);
  }

  MPI_Count board_bytes() const noexcept { return board_bytes_; }

  Round& round(Turn turn) noexcept { return *rounds_[turn % kRounds]; }
  int place_of(int rank) const noexcept { return place_of_[static_cast<std::size_t>(rank)]; }

  static constexpr Turn kRounds = 4, kAhead = 2;
  static_assert(kRounds >= 2 * kAhead);

 private:
  explicit Meeting(const comm::Comm& comm);
  static Meeting& take_seat(comm::Comm& comm);
  static std::unique_ptr<world::SharedPart> make(const void* comm);

  // Constant.
  int size_;
  MPI_Count board_bytes_;
  std::vector<int> place_of_;          // by rank
  std::vector<int> members_at_place_;  // how many
  std::vector<int> workers_;           // that have a place
  std::unique_ptr<Round> rounds_[kRounds];
};

// A member in one turn.
class Visit {
 public:
  // All members must give the same `call`. May switch.
  Visit(comm::Comm& comm, std::uint32_t call);

  // Memory that all members have in common, of Meeting::board_bytes(). What is there before
  // somebody arrives is seen by whoever waits; and stays until that one begins another turn.
  std::byte* board() noexcept { return round_.board[0].bytes; }
  // What each member lends: its own to be written before it arrives, all to be read after waiting.
  Lent* lent() noexcept { return round_.lent.get(); }

  // True for the last: it must call finish().
  bool arrive() noexcept {
    const Arrivals::Outcome outcome =
        round_.arrivals.arrive(meeting_.place_of(comm_.rank()), call_);
    if (outcome == Arrivals::Outcome::kEarly) return false;
    round_.unlike = outcome == Arrivals::Outcome::kLastOfUnlike;
    return true;
  }
  void finish() noexcept { round_.complete.open(turn_); }
  // Until the last has finished. May switch.
  void wait() noexcept { round_.complete.wait(turn_); }

  // For the last, and for whoever has waited: true if all gave the same call, else verdict() fails.
  bool agreed() const noexcept { return !round_.unlike; }
  Error verdict() const { return agreed() ? Error{} : disagreement(); }

  // Arrives, and goes on without the others / when all have arrived (may switch).
  Error leave() {
    if (!arrive()) return {};
    finish();
    return verdict();
  }
  Error meet() {
    if (arrive()) {
      finish();
    } else {
      wait();
    }
    return verdict();
  }

  // A root lends its data until the turn is complete / others wait for them (may switch).
  void lend(datatype::ConstBuffer data) noexcept {
    round_.source = data;
    round_.ready.open(turn_);
  }
  datatype::ConstBuffer borrow() noexcept {
    round_.ready.wait(turn_);
    return round_.source;
  }

 private:
  Error disagreement() const;

  comm::Comm& comm_;
  Meeting& meeting_;
  const Meeting::Turn turn_;
  Meeting::Round& round_;
  const std::uint32_t call_;
};

}  // namespace heddle::coll
