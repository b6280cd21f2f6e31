// meeting.h — where the members of an intracommunicator on this host meet for a collective. Barrier,
// bcast, reduce and allreduce use it (bodies.h).
//
//   stage 1   members of a worker count themselves in at their place      arrivals.h
//   stage 2   the last of a place counts for it, up the machine's tree    arrivals.h
//   stage 3   between hosts: the member that speaks for this host waits   between.h
//             until all here have come, then talks to the other speakers
//   release   the last of all, or the speaker, opens the gate; each       exec/ult/gate.h
//             worker's frozen ranks are spliced into its run queue
//
// With one host there is no stage 3, and `hosts()` is null.
//
// Each collective is one turn. Turns follow each other; their storage is a ring of rounds:
//
//   turn   1        2        3        4        5      …
//   round  [1]      [2]      [3]      [0]      [1]    …    kRounds = 4
//
// How a member goes through a turn: visit.h.
//
// Invariants
//   I1  `met` opens for a turn only when all members here have begun it. A member begins turn t only
//       after turn t - kAhead has met. Each member that has begun turn t - kAhead has left turn
//       t - kAhead - kUnderWay (ticket.h). So the round of that turn is free for turn t:
//       kRounds >= kAhead + kUnderWay.
//   I2  A member that lends its own memory goes on when those who use it have counted in after that, or have opened
//       `ready`. A result that another member makes is used only after `met` or `ready` has opened.
//   I3  Storage of a round stays until all have left its turn.
//   I4  The waiters of `met` for turn s are in turn s, or begin turn s + kAhead. All have passed before
//       a member waits there in turn s + kRounds: kRounds >= 2 kAhead. Those of `ready` are in turn s.
//
// Thread safety: any strand, one strand of a member in a turn at a time; different members at once.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/cpu.h"
#include "exec/ult/completion.h"
#include "exec/ult/gate.h"
#include "mpi/coll/arrivals.h"
#include "mpi/coll/hosts_of.h"
#include "mpi/coll/seat.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"

namespace heddle::coll {

class Pieces;

// What a member lends to the others of its host until it has left the turn.
struct Lent {
  const void* data;
  void* result;
  const datatype::Datatype* type;
  MPI_Count count = 0;             // of data, where another member does not know it
  const Pieces* pieces = nullptr;  // in place of all that: one for each member
};

class Meeting final : public world::SharedPart {
 public:
  using Turn = ult::Gate::Turn;

  struct alignas(platform::kCacheLine) Line {
    std::byte bytes[platform::kCacheLine];
  };

  struct Round {
    explicit Round(const Meeting& meeting);

    void tear(Turn turn) noexcept { raise(torn, turn); }
    static void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) noexcept;

    Arrivals arrivals;
    ult::Gate met;    // all have come
    ult::Gate ready;  // what one gives to the others is there: a root's data, a large result
    std::atomic<Turn> given{
        0};  // the last turn in which a member has taken on to open `ready` for a broadcast
    // Of several hosts.
    ult::Completion gathered;  // the speaker may go on; set by the last to arrive
    bool speaker_concludes =
        false;  // written by the speaker before it arrives, and when all have; read by the last
    datatype::ConstBuffer source;  // the root's, while `ready` is open
    const Lent* sums = nullptr;    // of several hosts: where a large reduction puts each block's
    int mismatch = MPI_SUCCESS;    // an error class: what the last one found, when `met` opens
    int failure = MPI_SUCCESS;     // the same of the one that opens `ready`
    // Of several hosts (doubts.h): the last turn in which members here are known to disagree, and what each was denied
    // last, by index: the mark of a turn and a rank.
    std::atomic<Turn> torn{0};
    const std::unique_ptr<std::atomic<Arrivals::Mark>[]> denied;
    const std::unique_ptr<Lent[]> lent;   // by index among the members here
    const std::unique_ptr<Line[]> board;  // for small payloads
  };

  // The calling rank's. Requires an intracommunicator of more than one member.
  static Meeting& of(comm::Comm& comm) {
    Seat& seat = Seat::of(comm);
    return seat.part != nullptr ? static_cast<Meeting&>(*seat.part) : join(comm, seat);
  }

  // The members here, which a seat's index numbers.
  int members() const noexcept { return static_cast<int>(ranks_.size()); }
  int index_of(int rank) const noexcept;
  int place_of(int index) const noexcept { return place_of_[static_cast<std::size_t>(index)]; }
  // The end of the run that begins with member `first`; all are one if they may change places.
  int end_of_run(int first, bool any_order) const noexcept;

  // Null: all members are here.
  const HostsOf* hosts() const noexcept { return hosts_.get(); }

  bool is_here(const world::Process& member) const noexcept { return member.host == host_; }

  // How long the board is.
  MPI_Count board_bytes() const noexcept { return board_bytes_; }
  // A member's share of its host's board, on the host where shares are smallest.
  MPI_Count least_share() const noexcept { return least_share_; }

  // A member of another host makes the call of `mark` and waits for member `rank`: true if it does so in vain.
  bool denies(int rank, Arrivals::Mark mark) noexcept;
  static Arrivals::Mark denial_of(int rank, Turn turn) noexcept {
    return Arrivals::mark_of(turn, static_cast<std::uint32_t>(rank));
  }
  // Member `waiting` of this host hears that it waits for `rank` in vain.
  void take_denial(int waiting, int rank, Turn turn) noexcept;

  Round& round(Turn turn) noexcept { return *rounds_[turn % kRounds]; }

  static constexpr Turn kRounds = 4, kAhead = 2, kUnderWay = 2;
  static_assert(kRounds >= 2 * kAhead && kRounds >= kAhead + kUnderWay);

 private:
  explicit Meeting(const comm::Comm& comm);
  Meeting(const comm::Comm& comm, std::vector<int> ranks);
  static Meeting& join(comm::Comm& comm, Seat& seat);
  static std::unique_ptr<world::SharedPart> make(const void* comm);

  // Constant.
  const int host_;                     // this one
  std::vector<int> ranks_;             // by index
  std::vector<int> place_of_;          // by index
  std::vector<int> members_at_place_;  // how many
  std::vector<int> workers_;           // that have a place
  std::vector<platform::Core> cores_;  // of the places
  std::unique_ptr<const HostsOf> hosts_;
  MPI_Count board_bytes_, least_share_ = 0;
  std::unique_ptr<Round> rounds_[kRounds];
};

}  // namespace heddle::coll
