// visit.h — a member in one phase of a host group.
//
//   who       does in a phase
//   --------  --------------------------------------------------------------------------------
//   member    begins it: waits until the phase kAhead before it has met
//             writes what the others need, arrives, waits or goes on, reads what others wrote
//   concluder does what must be done once, then sets `met`. It is the last member to arrive. Only
//             where the host leader of one of several hosts is in a barrier or reduction, it is the
//             host leader: it waits until all members here have arrived, then talks to the other
//             host leaders (between.h)
//   giver     sets `ready`. In a broadcast that is the root, or on other hosts the leader. In a
//             large reduction it is the last member to combine its slice; with several hosts it is
//             the host leader, when the result is there
//
// In a large reduction a member arrives more than once in its phase.
//
// Each member names its call (call_of). The last to arrive finds out if the members disagree; the
// host leaders find out if the hosts disagree (between.h). Waiting members get an error. A member
// that has no memory for its part says so as it arrives (fail()), so no other member waits for it.
//
// In a broadcast a member waits for the giver before it arrives. The giver may be in another call,
// so the member claims its place (arrivals.h). The one that finds the other call sets `ready` in
// the giver's stead.
//
// Thread safety: one strand of the member.

#pragma once

#include <iterator>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

// What members must agree on, as a number: which operation, its root and what else it depends on,
// first of all its length. Where receivers compare their lengths with what others give, it is no
// part of that.
enum class What : std::uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kGather,
  kScatter,
  kAllgather,
  kAlltoall,
  kReduceScatter,
  kSplit,
  kReadOfFile,
  kWriteToFile
};
inline std::uint32_t call_of(What what, int root, MPI_Count details) noexcept {
  std::uint64_t all = static_cast<std::uint64_t>(details) * 0x9e3779b97f4a7c15;
  all = (all ^ (static_cast<std::uint64_t>(root) << 8 | static_cast<std::uint64_t>(what))) *
        0xd6e8feb86659fd93;
  return static_cast<std::uint32_t>(all >> 40);
}

// What is left to a member that has done its part of a phase.
enum class Step {
  kGone,       // nothing
  kConcluded,  // all have come: it reads the result
  kWaits       // it waits for all, and then reads the result
};

// What members hear that do not all make the same call, or of which one has failed.
Error disagreement(const comm::Comm& comm, int error_class);
// What a member waits for, for a report.
ult::WaitNote note_other(comm::Comm& comm) noexcept;

class Visit {
 public:
  // All members must give the same `call`. May switch.
  [[gnu::always_inline]] Visit(const Phase& phase, std::uint32_t call)
      : comm_(phase.comm),
        seat_(Seat::taken(comm_)),
        host_group_(static_cast<HostGroup&>(*seat_.part)),
        phase_(phase.number),
        round_(host_group_.round(phase_)),
        mark_(Arrivals::mark_of(phase_, call)) {
    if (phase_ > HostGroup::kAhead) {
      const HostGroup::Phase earlier = phase_ - HostGroup::kAhead;
      if (met() != earlier && !host_group_.has_met(earlier)) await(earlier);
    }
    tables_ = round_.tables.get();
    place_ = host_group_.sit_down(seat_, *tables_);
  }

  // Goes on with a visit later: this member has counted in and has only to wait() and read. It may
  // not look at earlier phases, whose tables may be gone.
  enum class Later { kHasArrived };
  Visit(const Phase& phase, Later) noexcept
      : comm_(phase.comm),
        seat_(Seat::taken(comm_)),
        host_group_(static_cast<HostGroup&>(*seat_.part)),
        phase_(phase.number),
        round_(host_group_.round(phase_)),
        tables_(round_.tables.get()),
        mark_(0) {}

  HostGroup& host_group() const noexcept { return host_group_; }
  std::uint32_t call() const noexcept { return Arrivals::call_of(mark_); }
  int index() const noexcept { return seat_.index; }
  const HostsOf* hosts() const noexcept { return host_group_.hosts(); }

  // Where there are several hosts: this member leads its host.
  bool is_leader() const noexcept { return index() == 0; }

  // Memory that all members here have in common, of HostGroup::scratch_bytes(). What is there
  // before a member arrives is seen by the members that wait, and stays until they have left.
  std::byte* scratch() noexcept { return round_.scratch[0].bytes; }
  // Where there are several hosts: what the host leader lends besides its own data, for all members
  // here. In a large reduction this is the room for the sum of each block, else what came from
  // other hosts.
  void lend_for_host(const Lent* lent) noexcept { round_.for_host = lent; }
  const Lent* lent_for_host() const noexcept { return round_.for_host; }
  // What each member lends: its own to be written before it arrives, all to be read after waiting.
  Lent* lent() noexcept { return round_.lent.get(); }

  // This member cannot do its part. Called before it arrives; all members that wait learn of it.
  void fail() noexcept { failed_ = true; }

  // Counts this member in. True for the member that concludes the phase, once all here have come
  // (may switch).
  [[gnu::always_inline]] bool arrive() noexcept {
    if (host_group_.hosts() == nullptr) [[likely]]
      return count_in();
    if (is_leader()) round_.leader_concludes = true;
    return gather(count_in());
  }

  // Ends the phase: members that wait for that now or later go on.
  void conclude() noexcept {
    host_group_.renew_tables(comm_, phase_);
    tables_->met.set(phase_);
  }
  // Waits for conclude(). May switch.
  void wait() noexcept {
    const ult::NotedWait noted(note_others());
    tables_->met.wait(phase_);
    met() = phase_;
  }
  // Counts this member in, and waits until all have come. The member that concludes the phase does
  // `once` before the others go on. May switch.
  template <class Once>
  Error meet(Once&& once) {
    if (arrive()) {
      once();
      conclude();
    } else {
      wait();
    }
    return verdict();
  }

  // For the one that concludes, and for those that have waited: true if all gave the same call and
  // nothing failed between the hosts; else verdict() fails.
  bool agreed() const noexcept { return round_.mismatch == MPI_SUCCESS; }
  Error verdict() const { return agreed() ? Error{} : disagreement(comm_, round_.mismatch); }

  // For the member that concludes, before it does: the error class that the last member to arrive
  // found; and the one that all shall get.
  int mismatch() const noexcept { return round_.mismatch; }
  void set_mismatch(int error_class) noexcept { write_if_new(round_.mismatch, error_class); }

  // Counts this member in, and goes on without the others / when all here have come (may switch).
  Error leave() {
    if (!count_in()) return {};
    Error error = verdict();
    close();
    return error;
  }
  Error meet() {
    if (count_in()) close();
    wait();
    return verdict();
  }

  // Counts this member in once more, and waits until all have done that. May switch.
  void meet_again() noexcept {
    if (count_in()) {
      show_ready();
    } else {
      await_ready();
    }
  }

  // show_ready(): the giver's data are ready, or it has failed with this error class. await_ready()
  // waits for that, and may switch. told() is the giver's error.
  void show_ready(int failure = MPI_SUCCESS) noexcept {
    write_if_new(round_.failure, failure);
    tables_->ready.set(phase_);
  }
  void await_ready() noexcept {
    const ult::NotedWait noted(note_other(comm_));
    tables_->ready.wait(phase_);
  }
  Error told() const { return round_.failure == MPI_SUCCESS ? Error{} : failure(); }

  // A broadcast. The index of the member that gives here: the root, or the leader in its stead.
  int giver_of(int root) const noexcept;
  // The giver takes it on, then lends its data, which are there until the phase has met. It must
  // not lend if that fails, because another member has taken it on: one that disagrees about the
  // root, or has found that the others wait in vain.
  Error take_on_to_give() noexcept {
    if (is_first_to_give()) [[likely]]
      return {};
    return disagreement(comm_, MPI_ERR_OTHER);
  }
  void lend(datatype::ConstBuffer data, int failure = MPI_SUCCESS) noexcept {
    round_.source = data;
    show_ready(failure);
  }
  // Waits for what the giver lends, and may switch. It fails (told()) if a member makes another
  // call.
  datatype::ConstBuffer borrow(int root) noexcept {
    // A claim takes lines from the giver, which will be here soon as a rule.
    if (!tables_->ready.spin(phase_)) {
      if (!tables_->arrivals.is_claimed(place_, mark_) &&
          round_.given.load(std::memory_order_relaxed) != phase_)
        claim_giver(root);
      await_ready();
    }
    return round_.source;
  }
  // Called before this member waits for other hosts.
  void claim_own() noexcept;

 private:
  // Counts this member in. True for the last one here.
  [[gnu::always_inline]] bool count_in() noexcept {
    const Arrivals::Outcome outcome = tables_->arrivals.arrive(place_, mark_, failed_);
    if (tables_->arrivals.is_claimed_by_other(place_, mark_)) [[unlikely]]
      release_borrowers();
    if (outcome == Arrivals::Outcome::kEarly) return false;
    const bool unlike = outcome == Arrivals::Outcome::kLastOfUnlike;
    if (unlike) [[unlikely]]
      round_.tear(phase_);
    set_mismatch(unlike ? int{MPI_ERR_OTHER} : int{MPI_SUCCESS});
    return true;
  }
  bool is_first_to_give() noexcept {
    // acq_rel: what is lent is written by one member.
    return round_.given.exchange(phase_, std::memory_order_acq_rel) != phase_;
  }

  ult::WaitNote note_others() const noexcept;

  // Writes only a new value, so that the line stays with its readers.
  static void write_if_new(int& error_class, int value) noexcept {
    if (error_class != value) error_class = value;
  }

  static_assert(HostGroup::kAhead == std::size(decltype(Seat::met){}));
  std::uint64_t& met() const noexcept { return seat_.met[phase_ % HostGroup::kAhead]; }
  void await(HostGroup::Phase earlier) noexcept;
  bool gather(bool last) noexcept;
  void close() noexcept;
  void claim_giver(int root) noexcept;
  void release_borrowers() noexcept;
  Error failure() const;

  comm::Comm& comm_;
  Seat& seat_;
  HostGroup& host_group_;
  const HostGroup::Phase phase_;
  HostGroup::Round& round_;
  HostGroup::Tables* tables_ = nullptr;  // of this phase
  int place_ = 0;                        // there
  const Arrivals::Mark mark_;
  bool failed_ = false;
};

}  // namespace heddle::coll
