#include "mpi/coll/meeting.h"

#include <algorithm>

namespace heddle::coll {

namespace {

// Up to so many bytes of all members together the last one alone combines, because a second turn
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

}  // namespace

Meeting::Round::Round(const Meeting& meeting)
    : arrivals(meeting.members_at_place_),
      complete(meeting.workers_),
      ready(meeting.workers_),
      lent(new Lent[static_cast<std::size_t>(meeting.size_)]),
      board(new Line[lines_of(meeting.board_bytes_)]) {}

Meeting::Meeting(const comm::Comm& comm)
    : SharedPart(comm.size()), size_(comm.size()), board_bytes_(board_bytes_for(comm.size())) {
  std::vector<int> place_of_worker;  // [0]: of no worker
  for (const world::Process* process : comm.group().members()) {
    const std::size_t worker =
        process->worker < 0 ? 0 : static_cast<std::size_t>(process->worker) + 1;
    if (worker >= place_of_worker.size()) place_of_worker.resize(worker + 1, -1);
    if (place_of_worker[worker] < 0) {
      place_of_worker[worker] = static_cast<int>(members_at_place_.size());
      members_at_place_.push_back(0);
      if (process->worker >= 0) workers_.push_back(process->worker);
    }
    const int place = place_of_worker[worker];
    ++members_at_place_[static_cast<std::size_t>(place)];
    place_of_.push_back(place);
  }
  for (std::unique_ptr<Round>& round : rounds_) round = std::make_unique<Round>(*this);
}

std::unique_ptr<world::SharedPart> Meeting::make(const void* comm) {
  return std::unique_ptr<Meeting>(new Meeting(*static_cast<const comm::Comm*>(comm)));
}

Meeting& Meeting::take_seat(comm::Comm& comm) {
  world::SharedParts& parts = world::here().host->shared_parts();
  comm.seat().part = &parts.join(comm.context(), make, &comm);
  return static_cast<Meeting&>(*comm.seat().part);
}

Visit::Visit(comm::Comm& comm, std::uint32_t call)
    : comm_(comm),
      meeting_(Meeting::of(comm)),
      turn_(++comm.seat().turn),
      round_(meeting_.round(turn_)),
      call_(call) {
  if (turn_ <= Meeting::kAhead) return;
  const Meeting::Turn earlier = turn_ - Meeting::kAhead;
  meeting_.round(earlier).complete.wait(earlier);
}

Error Visit::disagreement() const {
  return Error::make(MPI_ERR_OTHER,
                     "the ranks of %s do not all call the same collective with the same root and "
                     "the same length",
                     comm::describe(comm_).c_str());
}

}  // namespace heddle::coll
