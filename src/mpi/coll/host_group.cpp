#include "mpi/coll/host_group.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/platform/fence.h"
#include "mpi/coll/node_turns.h"

namespace heddle::coll {

namespace {

// Up to this many bytes of all members together, the last one combines alone, because a second
// phase would cost more than it saves. Where that ends is a guess, not measured.
constexpr MPI_Count kScratch = 16 << 10;
constexpr MPI_Count kMostEach = 1024;
constexpr MPI_Count kLeastEach = 16;

MPI_Count scratch_bytes_for(int members) noexcept {
  return std::min(members * kMostEach, std::max(kScratch, members * kLeastEach));
}

std::size_t lines_of(MPI_Count bytes) noexcept {
  return static_cast<std::size_t>((bytes + platform::kCacheLine - 1) / platform::kCacheLine);
}

// True if a ring of turns pays: each member has a worker of its own, and they are few.
bool may_take_turns(const Places& places, int members) {
  return members <= TurnRing::kMostMembers &&
         static_cast<int>(places.workers().size()) == members && platform::has_fence_all();
}

bool is_on_one_node(const group::Group& group) {
  for (int rank = 1; rank < group.size(); ++rank) {
    if (group.member(rank).node != group.member(0).node) return false;
  }
  return true;
}

std::vector<int> ranks_here(const comm::Comm& comm) {
  const group::Group& group = comm.group();
  const int here = group.member(comm.rank()).host;
  std::vector<int> ranks;
  for (int rank = 0; rank < group.size(); ++rank) {
    if (group.member(rank).host == here) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

HostGroup::Tables::Tables(std::shared_ptr<const Places> its_places, Version its_version,
                          Phase begun, bool with_turns)
    : version(its_version),
      places(std::move(its_places)),
      arrivals(places->members_at(), platform::LocalityTree(places->cores()), begun),
      met(places->workers()),
      ready(places->workers()),
      turns(with_turns ? std::make_unique<TurnRing>(places->workers().size()) : nullptr) {}

HostGroup::Round::Round(const HostGroup& group)
    : tables(std::make_unique<Tables>(group.places_, kFirst, 0, false)),
      mismatched(group.hosts_ == nullptr ? nullptr
                                         : new std::atomic<Arrivals::Mark>[group.ranks_.size()]()),
      agreed(group.hosts_ == nullptr ? nullptr
                                     : new std::atomic<std::uint64_t>[group.ranks_.size()]()),
      lent(new Lent[group.ranks_.size()]),
      scratch(new Line[lines_of(group.scratch_bytes_)]) {}

void HostGroup::Round::raise(std::atomic<std::uint64_t>& number, std::uint64_t to) noexcept {
  // relaxed: the reader learns the number and nothing else.
  std::uint64_t seen = number.load(std::memory_order_relaxed);
  while (seen < to && !number.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
  }
}

HostGroup::HostGroup(const comm::Comm& comm) : HostGroup(comm, ranks_here(comm)) {}

HostGroup::HostGroup(const comm::Comm& comm, std::vector<int> ranks)
    : SharedPart(static_cast<int>(ranks.size())),
      host_(comm.group().member(comm.rank()).host),
      ranks_(std::move(ranks)),
      scratch_bytes_(scratch_bytes_for(members())) {
  places_ = std::make_shared<const Places>(comm.group(), ranks_);
  if (members() < comm.size()) {
    hosts_ = std::make_unique<const HostsOf>(comm.group());
    const int most = hosts_->most_members();
    least_share_ = scratch_bytes_for(most) / most;
    // relaxed: the group is not known to others yet.
    has_turns_.store(comm.size() <= TurnRing::kMostMembers && is_on_one_node(comm.group()),
                     std::memory_order_relaxed);
  }
  for (std::unique_ptr<Round>& round : rounds_) round = std::make_unique<Round>(*this);
}

HostGroup::~HostGroup() = default;

void HostGroup::keep(std::unique_ptr<NodeTurns> turns) noexcept {
  node_turns_ = std::move(turns);
}

void HostGroup::renew_slow(const comm::Comm& comm, Round& round, Phase concluded) {
  if (concluded == kTurnsFrom && hosts_ == nullptr && may_take_turns(*places_, members())) {
    stale_.store(version_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  // Memory is taken without the lock. Of two that do so at once one gives its own up.
  std::shared_ptr<const Places> made;
  for (;;) {
    std::shared_ptr<const Places> places;
    Version version = 0;
    {
      const SpinGuard guard(lock_);
      version = version_.load(std::memory_order_relaxed);
      // relaxed: that a member has moved; where members are is looked up.
      const bool stale = stale_.load(std::memory_order_relaxed) == version;
      if (stale && made != nullptr) {
        std::swap(places_, made);
        version_.store(++version, std::memory_order_relaxed);
      }
      if (!stale || made != nullptr) places = places_;
    }
    if (places != nullptr) {
      if (round.tables->version != version) {
        const bool turns =
            hosts_ == nullptr && concluded >= kTurnsFrom && may_take_turns(*places, members());
        if (turns) has_turns_.store(true, std::memory_order_relaxed);
        auto tables = std::make_unique<Tables>(std::move(places), version, concluded, turns);
        const SpinGuard guard(lock_);
        std::swap(round.tables, tables);
      }
      return;
    }
    made = std::make_shared<const Places>(comm.group(), ranks_);
  }
}

int HostGroup::index_of(int rank) const noexcept {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
}

bool HostGroup::disagrees(int rank, Arrivals::Mark mark) noexcept {
  const auto index = static_cast<std::size_t>(index_of(rank));
  if (index >= ranks_.size() || ranks_[index] != rank) return false;
  const Phase phase = Arrivals::phase_of(mark);
  const Round& there = round(phase);
  if (there.torn.load(std::memory_order_relaxed) == phase) return true;
  const SpinGuard guard(lock_);
  const Tables& tables = *there.tables;
  return tables.arrivals.shows_other(tables.places->of(static_cast<int>(index)).place, mark);
}

void HostGroup::take_mismatch(int waiting, int rank, Phase phase) noexcept {
  const auto index = static_cast<std::size_t>(index_of(waiting));
  if (index >= ranks_.size() || ranks_[index] != waiting) return;
  // A member waits for one other at a time. The phase is torn only by a wait that this ends: the
  // mismatch of a member that has sent its message and gone on may come later than that message,
  // and says nothing then.
  // release: the message is seen with it.
  round(phase).mismatched[index].store(mismatch_of(rank, phase), std::memory_order_release);
}

void HostGroup::take_agreement(int waiting, Phase phase, std::uint64_t query) noexcept {
  const auto index = static_cast<std::size_t>(index_of(waiting));
  if (index >= ranks_.size() || ranks_[index] != waiting) return;
  // release: a mismatch that came before is seen with it.
  round(phase).agreed[index].store(query, std::memory_order_release);
}

int HostGroup::end_of_run(int first, bool any_order) const noexcept {
  if (any_order || hosts_ == nullptr) return members();
  auto end = ranks_.begin() + first + 1;
  while (end != ranks_.end() && *end == end[-1] + 1) ++end;
  return static_cast<int>(end - ranks_.begin());
}

std::unique_ptr<world::SharedPart> HostGroup::make(const void* comm) {
  return std::unique_ptr<HostGroup>(new HostGroup(*static_cast<const comm::Comm*>(comm)));
}

HostGroup& HostGroup::join(comm::Comm& comm, Seat& seat) {
  world::SharedParts& parts = world::here().host->shared_parts();
  seat.part = &parts.join(comm.context(), make, &comm);
  auto& host_group = static_cast<HostGroup&>(*seat.part);
  seat.index = host_group.index_of(comm.rank());
  seat.process = &comm.group().member(comm.rank());
  return host_group;
}

}  // namespace heddle::coll
