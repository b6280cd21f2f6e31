// host_group.h — where the members of an intracommunicator on this host meet for a collective. All
// but scans use it, and MPI_Comm_split (comm_make/parts.h).
//
//   stage 1   members of a worker count themselves in at their place      arrivals.h
//   stage 2   the last of a place counts for it, up the machine's tree    arrivals.h
//   stage 3   between hosts: this host's leader waits until all here      between.h
//             have come, then talks to the other host leaders
//   release   the last of all, or the host leader, sets the event; each   exec/ult/event.h
//             worker's frozen ranks are spliced into its run queue
//
// With one host there is no stage 3, and `hosts()` is null.
//
// Each collective is one phase. Phases follow each other; their storage is a ring of rounds:
//
//   phase  1        2        3        4        5      …
//   round  [1]      [2]      [3]      [0]      [1]    …    kRounds = 4
//
// How a member goes through a phase: visit.h.
//
// Members move (exec/ult/move.h). One that comes from another worker counts itself in at its old
// place and waits where the event lets it: slower, and right. It notes that the tables are stale.
// The next phases to be prepared get tables of the workers where members are then, so these are
// looked up once, however many have moved (decision 116):
//
//   phase         5                       6                       7                  8
//   tables        old                     old                     new                new
//                 a member notes that     its last member makes
//                 it has moved; the last  the tables of phase 8
//                 one makes those of 7
//
// Other hosts ask at any time what a member does (disagrees()), and so look at tables with the
// lock, with which they are replaced. New tables say that all members have begun the phase in which
// they were made, and so are done with the phase of the old ones.
//
// Invariants
//   I1  `met` is set for a phase only when all members here have begun it. A member begins phase t
//       only after phase t - kAhead has met. Each member that has begun phase t - kAhead has left
//       phase t - kAhead - kUnderWay (ticket.h). So the round of that phase is free for phase t:
//       kRounds >= kAhead + kUnderWay.
//   I2  A member that lends its own memory goes on when those that use it have counted in after
//       that, or have set `ready`. A result that another member makes is used only after `met`
//       or `ready` is set.
//   I3  Storage of a round stays until all have left its phase.
//   I4  The waiters of `met` for phase s are in phase s, or begin phase s + kAhead. All have passed
//       before a member waits there in phase s + kRounds: kRounds >= 2 kAhead. Those of `ready` are
//       in phase s.
//   I5  The tables of phase t + kAhead are made by the member that concludes phase t, before it
//       sets `met`. No member has begun phase t + kAhead then, and all have begun phase t, so they
//       have left phase t - kUnderWay, the last one with the old tables: kRounds = kAhead +
//       kUnderWay. No list of an old event is in an inbox (exec/ult/event.h, I3).
//
// Thread safety: any strand, one strand of a member in a phase at a time; different members at
// once.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/cpu.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"
#include "exec/ult/event.h"
#include "mpi/coll/arrivals.h"
#include "mpi/coll/hosts_of.h"
#include "mpi/coll/places.h"
#include "mpi/coll/seat.h"
#include "mpi/coll/turn_ring.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"

namespace heddle::coll {

class NodeTurns;
class Pieces;

// What a member lends to the others of its host until it has left the phase.
struct Lent {
  const void* data;
  void* result;
  const datatype::Datatype* type;
  MPI_Count count = 0;             // of data, where another member does not know it
  const Pieces* pieces = nullptr;  // in place of all that: one for each member
};

class HostGroup final : public world::SharedPart {
 public:
  using Phase = ult::Event::Phase;

  struct alignas(platform::kCacheLine) Line {
    std::byte bytes[platform::kCacheLine];
  };

  // What depends on where members are.
  using Version = std::uint32_t;
  struct Tables {
    Tables(std::shared_ptr<const Places> its_places, Version its_version, Phase begun,
           bool with_turns);

    const Version version;
    const std::shared_ptr<const Places> places;
    Arrivals arrivals;
    ult::Event met;    // all have come
    ult::Event ready;  // what one gives to the others is there: a root's data, a large result
    const std::unique_ptr<TurnRing> turns;  // after the phase; null: there are none
  };

  struct Round {
    explicit Round(const HostGroup& group);

    void tear(Phase phase) noexcept { raise(torn, phase); }
    static void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) noexcept;

    std::unique_ptr<Tables> tables;  // I5
    // Where there are several hosts: what the host leader lends besides its own data.
    const Lent* for_host = nullptr;
    int mismatch = MPI_SUCCESS;  // an error class: what the last one found, when `met` is set
    int failure = MPI_SUCCESS;   // an error class of the one that sets `ready`
    // Where there are several hosts (call_queries.h): the last phase in which members here are
    // known to disagree, and the last mismatch that each has heard of, by index: the mark of a
    // phase and a rank.
    std::atomic<Phase> torn{0};
    const std::unique_ptr<std::atomic<Arrivals::Mark>[]> mismatched;
    // For each index, too: the last of its queries that the other host has agreed to.
    const std::unique_ptr<std::atomic<std::uint64_t>[]> agreed;
    const std::unique_ptr<Lent[]> lent;     // by index among the members here
    const std::unique_ptr<Line[]> scratch;  // for small payloads

    // What changes in each phase has a line of its own, so that members find the rest where they
    // left it. The last phase in which a member has taken on to set `ready` for a broadcast:
    alignas(platform::kCacheLine) std::atomic<Phase> given{0};
    datatype::ConstBuffer source;  // the root's, while `ready` is set
    // Where there are several hosts.
    ult::Completion gathered;  // the host leader may go on; set by the last to arrive
    // Written by the host leader before it arrives, and when all have; read by the last.
    bool leader_concludes = false;
  };

  ~HostGroup() override;

  // The calling rank's. Requires an intracommunicator of more than one member.
  static HostGroup& of(comm::Comm& comm) {
    Seat& seat = Seat::of(comm);
    return seat.part != nullptr ? static_cast<HostGroup&>(*seat.part) : join(comm, seat);
  }

  // The members here, which a seat's index numbers.
  int members() const noexcept { return static_cast<int>(ranks_.size()); }
  int index_of(int rank) const noexcept;
  int rank_of(int index) const noexcept { return ranks_[static_cast<std::size_t>(index)]; }
  // The end of the run that begins with member `first`; all are one if they may change places.
  int end_of_run(int first, bool any_order) const noexcept;

  // Null: all members are here.
  const HostsOf* hosts() const noexcept { return hosts_.get(); }

  bool is_here(const world::Process& member) const noexcept { return member.host == host_; }

  // How long the scratch memory is.
  MPI_Count scratch_bytes() const noexcept { return scratch_bytes_; }
  // A member's share of its host's scratch memory, on the host where shares are smallest.
  MPI_Count least_share() const noexcept { return least_share_; }

  // A member of another host makes the call of `mark` and waits for member `rank`: true if it does
  // so in vain.
  bool disagrees(int rank, Arrivals::Mark mark) noexcept;
  static Arrivals::Mark mismatch_of(int rank, Phase phase) noexcept {
    return Arrivals::mark_of(phase, static_cast<std::uint32_t>(rank));
  }
  // Member `waiting` of this host hears that it waits for `rank` in vain.
  void take_mismatch(int waiting, int rank, Phase phase) noexcept;
  // Or that the other host has agreed to its query.
  void take_agreement(int waiting, Phase phase, std::uint64_t query) noexcept;

  // The place of a member that begins a phase, in these tables. Notes that it has moved since they
  // were made.
  int sit_down(const Seat& seat, const Tables& tables) noexcept {
    const Places::Member& entry = tables.places->of(seat.index);
    // relaxed, both: the number itself is all that is told. A note of earlier tables is none
    // (renew_slow).
    if (std::atomic_ref(seat.process->worker).load(std::memory_order_relaxed) != entry.worker)
        [[unlikely]] {
      stale_.store(tables.version, std::memory_order_relaxed);
    }
    return entry.place;
  }
  // Called by the member that concludes a phase, before it sets the event: I5.
  void renew_tables(const comm::Comm& comm, Phase phase) {
    Round& next = round(phase + kAhead);
    // relaxed, both: a number that is read too early costs one more phase with the old tables.
    const Version now = version_.load(std::memory_order_relaxed);
    if (next.tables->version != now || stale_.load(std::memory_order_relaxed) == now ||
        phase == kTurnsFrom) [[unlikely]] {
      renew_slow(comm, next, phase);
    }
  }
  // How often places were looked up anew. Any strand.
  Version renewals() const noexcept { return version_.load(std::memory_order_relaxed) - kFirst; }

  // True if each member here has a worker of its own, or is alone.
  bool has_worker_each() const noexcept {
    return members() == 1 || static_cast<int>(places_->workers().size()) == members();
  }

  // False for certain: no table has a ring of turns, and members in several processes have none. A
  // member whose last phase has one sees true.
  bool has_turns() const noexcept { return has_turns_.load(std::memory_order_relaxed); }

  // Where members are in several processes: the turns that they have agreed on (node_turns.h). Kept
  // by the first member here, before the others hear of it.
  void keep(std::unique_ptr<NodeTurns> turns) noexcept;
  NodeTurns* node_turns() const noexcept { return node_turns_.get(); }

  Round& round(Phase phase) noexcept { return *rounds_[phase % kRounds]; }
  // For a member that has begun this phase and not left it, or begins phase + kAhead: a wait for
  // all would return at once.
  bool has_met(Phase phase) noexcept { return round(phase).tables->met.is_set(phase); }
  // True if a member may begin this phase without a wait.
  bool is_free(Phase phase) noexcept { return phase <= kAhead || has_met(phase - kAhead); }

  static constexpr Phase kRounds = 4, kAhead = 2, kUnderWay = 2;
  static_assert(kRounds >= 2 * kAhead && kRounds == kAhead + kUnderWay);

  // Tables get a ring of turns when this phase has met, and later ones; members in several
  // processes agree on turns after so many operations.
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr Phase kTurnsFrom = 3;
#else
  static constexpr Phase kTurnsFrom = 8;
#endif

 private:
  explicit HostGroup(const comm::Comm& comm);
  HostGroup(const comm::Comm& comm, std::vector<int> ranks);
  static HostGroup& join(comm::Comm& comm, Seat& seat);
  static std::unique_ptr<world::SharedPart> make(const void* comm);
  void renew_slow(const comm::Comm& comm, Round& round, Phase concluded);

  static constexpr Version kFirst = 1;

  // Constant.
  const int host_;          // this one
  std::vector<int> ranks_;  // by index
  std::unique_ptr<const HostsOf> hosts_;
  MPI_Count scratch_bytes_, least_share_ = 0;
  std::unique_ptr<Round> rounds_[kRounds];

  // Lock: guards the tables that come next, and a round's while they are replaced or another host
  // asks; taken after a host's table of shared parts; two phases may conclude at the same time
  // (ticket.h).
  SpinLock lock_;
  std::shared_ptr<const Places> places_;
  std::atomic<Version> version_{kFirst};  // written with the lock
  // relaxed: set before `met` is for the phase that has made the first tables with turns.
  std::atomic<bool> has_turns_{false};
  std::unique_ptr<NodeTurns> node_turns_;
  // The version of the tables at which a member was that comes from another worker.
  std::atomic<Version> stale_{0};
};

}  // namespace heddle::coll
