#include "mpi/coll/meeting.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "exec/ult/scheduler.h"

namespace heddle::coll {

namespace {

// Up to so many bytes of all members together the last one alone combines, because a second phase
// would cost more than it saves. Where that ends is a guess, not measured.
constexpr MPI_Count kBoard = 16 << 10;
constexpr MPI_Count kMostEach = 1024;
constexpr MPI_Count kLeastEach = 16;

MPI_Count board_bytes_for(int members) noexcept {
  return std::min(members * kMostEach, std::max(kBoard, members * kLeastEach));
}

std::size_t lines_of(MPI_Count bytes) noexcept {
  return static_cast<std::size_t>((bytes + platform::kCacheLine - 1) / platform::kCacheLine);
}

// [0]: of no worker.
std::size_t slot_of(int worker) noexcept {
  return static_cast<std::size_t>(std::max(-1, worker) + 1);
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

Meeting::Round::Round(const Meeting& meeting)
    : arrivals(meeting.members_at_place_, platform::LocalityTree(meeting.cores_)),
      met(meeting.workers_),
      ready(meeting.workers_),
      denied(meeting.hosts_ == nullptr ? nullptr
                                       : new std::atomic<Arrivals::Mark>[meeting.ranks_.size()]()),
      lent(new Lent[meeting.ranks_.size()]),
      board(new Line[lines_of(meeting.board_bytes_)]) {}

void Meeting::Round::raise(std::atomic<std::uint64_t>& number, std::uint64_t to) noexcept {
  // relaxed: the number itself is all that is told.
  std::uint64_t seen = number.load(std::memory_order_relaxed);
  while (seen < to && !number.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
  }
}

Meeting::Meeting(const comm::Comm& comm) : Meeting(comm, ranks_here(comm)) {}

Meeting::Meeting(const comm::Comm& comm, std::vector<int> ranks)
    : SharedPart(static_cast<int>(ranks.size())),
      host_(comm.group().member(comm.rank()).host),
      ranks_(std::move(ranks)),
      board_bytes_(board_bytes_for(members())) {
  std::vector<int> place_of_worker;
  for (const int rank : ranks_) {
    // relaxed: a member that moves meanwhile counts at its old place, as one does that moves later.
    const int worker =
        std::atomic_ref(comm.group().member(rank).worker).load(std::memory_order_relaxed);
    const std::size_t slot = slot_of(worker);
    if (slot >= place_of_worker.size()) place_of_worker.resize(slot + 1, -1);
    if (place_of_worker[slot] < 0) {
      place_of_worker[slot] = static_cast<int>(members_at_place_.size());
      members_at_place_.push_back(0);
      if (worker >= 0) workers_.push_back(worker);
      cores_.push_back(ult::core_of(std::max(worker, 0)));
    }
    const int place = place_of_worker[slot];
    ++members_at_place_[static_cast<std::size_t>(place)];
    place_of_.push_back(place);
  }
  if (members() < comm.size()) {
    hosts_ = std::make_unique<const HostsOf>(comm.group());
    const int most = hosts_->most_members();
    least_share_ = board_bytes_for(most) / most;
  }
  for (std::unique_ptr<Round>& round : rounds_) round = std::make_unique<Round>(*this);
}

int Meeting::index_of(int rank) const noexcept {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
}

bool Meeting::denies(int rank, Arrivals::Mark mark) noexcept {
  const auto index = static_cast<std::size_t>(index_of(rank));
  if (index >= ranks_.size() || ranks_[index] != rank) return false;
  const Turn turn = Arrivals::turn_of(mark);
  const Round& there = round(turn);
  return there.torn.load(std::memory_order_relaxed) == turn ||
         there.arrivals.shows_other(place_of_[index], mark);
}

void Meeting::take_denial(int waiting, int rank, Turn turn) noexcept {
  const auto index = static_cast<std::size_t>(index_of(waiting));
  if (index >= ranks_.size() || ranks_[index] != waiting) return;
  // A member waits for one other at a time. The turn is torn only by a wait that this ends: the denial of a member that has
  // sent its message and gone on may come later than that message, and says nothing then.
  round(turn).denied[index].store(denial_of(rank, turn), std::memory_order_relaxed);
}

int Meeting::end_of_run(int first, bool any_order) const noexcept {
  if (any_order || hosts_ == nullptr) return members();
  auto end = ranks_.begin() + first + 1;
  while (end != ranks_.end() && *end == end[-1] + 1) ++end;
  return static_cast<int>(end - ranks_.begin());
}

std::unique_ptr<world::SharedPart> Meeting::make(const void* comm) {
  return std::unique_ptr<Meeting>(new Meeting(*static_cast<const comm::Comm*>(comm)));
}

Meeting& Meeting::join(comm::Comm& comm, Seat& seat) {
  world::SharedParts& parts = world::here().host->shared_parts();
  seat.part = &parts.join(comm.context(), make, &comm);
  auto& meeting = static_cast<Meeting&>(*seat.part);
  seat.index = meeting.index_of(comm.rank());
  seat.place = meeting.place_of_[static_cast<std::size_t>(seat.index)];
  return meeting;
}

}  // namespace heddle::coll
