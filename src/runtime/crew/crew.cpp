#include "runtime/crew/crew.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/openmp_segment.h"
#include "base/spin_lock.h"
#include "exec/heap/heap.h"
#include "exec/observe/observe.h"
#include "exec/process/threads/threads.h"
#include "exec/rank/rank.h"
#include "exec/ult/completion.h"
#include "exec/ult/move.h"
#include "exec/ult/strand.h"
#include "runtime/crew/main_strands.h"
#include "runtime/crew/state.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

// One rank of the job; lives until all of them have ended.
struct RankStart {
  Crew* crew = nullptr;
  std::size_t index = 0;  // in the crew
  int number = 0;
  int numa_node = 0;  // of its worker
  Resident* resident = nullptr;
  bool main_stays = false;  // written before `ended` is set
  ult::Completion ended;

  // It has ended with this status; true: its main strand stays.
  bool is_to_stay(int status) { return crew->account(status) == Crew::Then::kStays; }
  void stay() {
    main_stays = true;
    ended.set();
  }
  bool is_alone() const noexcept { return crew->options_.ranks == 1; }
};

namespace {

struct StartOfRank {
  RankStart* start = nullptr;  // null: a job of one that MPI_Init has made
};
RankLocal<StartOfRank> start_of_rank;

// The calling rank's, as the board tells of it.
ProcessPhase phase_at_end() {
  if (phase() == Phase::kFinal) {
    return mpi_is_running() ? ProcessPhase::kInLateSession : ProcessPhase::kFinal;
  }
  if (!mpi_is_running()) return ProcessPhase::kOutside;
  return phase() == Phase::kRunning ? ProcessPhase::kRunning : ProcessPhase::kInSession;
}

// A thread that the program left running stays one of the rank's until the process ends.
void keep_for_its_threads(std::unique_ptr<Rank> rank) {
  // Lock: guards the list of ranks that have ended and left threads running.
  static SpinLock lock;
  static auto& kept = *new std::vector<Rank*>;  // nothing of it is ever destroyed
  SpinGuard guard(lock);
  kept.push_back(rank.release());
}

}  // namespace

Crew::Crew(const CrewOptions& options, Hosts& hosts)
    : options_(options),
      hosts_(hosts),
      numbers_(hosts.ranks_here()),
      residents_(numbers_.size()),
      starts_(numbers_.size()) {}

Crew::~Crew() = default;

// Returns when all ranks have ended. Ends the job if those that are left do nothing any more, and
// one of them is inside MPI: it waits for a rank that has gone. A job that waits uses no processor
// time. May switch.
void Crew::watch_others(const char* without) {
  JobPage& page = job_board().page();
  Rest rest(page.processor_time_ns());
  while (over_ != static_cast<int>(numbers_.size())) {
    ult::sleep_until(platform::now_ns() + rest.pause_ns());
    if (page.wait_in_vain(rest)) abort_without("the program", 0, without);
  }
}

// The calling rank ended; see what that means for the job. Where it stays, what it has sent stays
// where it is: the others may receive it.
Crew::Then Crew::account(int status) {
  int none = 0;
  // relaxed: read only after join.
  first_failure_.compare_exchange_strong(none, status, std::memory_order_relaxed);
  const ProcessPhase at_end = phase_at_end();
  MeaningOfEnd meaning;
  if (options_.process_ends || mpi_is_running()) meaning = job_board().note_end(at_end, status);
  const bool watches = meaning.then == MeaningOfEnd::Then::kWatchOthers;
  if (meaning.then == MeaningOfEnd::Then::kEndJob || (watches && !options_.process_ends)) {
    abort_without("the program", status, meaning.where);
  }
  if (watches && at_end != ProcessPhase::kInLateSession) hosts_.tell_left_early();
  ++over_;
  if (!watches) return Then::kEnds;
  if (!is_watched_.exchange(true)) watch_others(meaning.where);
  return Then::kStays;
}

// The main ult of a rank, from first to last.
void Crew::run_rank(void* argument) {
  RankStart& start = *static_cast<RankStart*>(argument);
  Crew& crew = *start.crew;
  auto rank = std::make_unique<Rank>(start.number);
  Rank::enter(rank.get());  // and while its RankLocal values are destroyed
  heap::begin_rank(start.numa_node);
  const ult::UltMemory own = ult::memory_of(*ult::current());
  heap::add_pages(own.low, own.bytes);
  start_of_rank.get().start = &start;
  crew.hosts_.introduce(*rank);
  start.resident->begin(*rank);
  observe::strand_begins();
  if (start.is_to_stay(crew.options_.main(start.number, crew.options_.context))) {
    start.stay();
    ult::Completion never;
    never.wait();
  }
  start.resident->end();
  if (process::live_threads(*rank) != 0) keep_for_its_threads(std::move(rank));
  rank.reset();
  Rank::enter(nullptr);
  forget_main_strand(start.index);
  start.ended.set();
}

void Crew::spawn(std::span<const int> workers, std::span<const platform::Core> cores) {
  for (std::size_t i = 0; i < numbers_.size(); ++i) hosts_.place(numbers_[i], workers[i]);
  mains_.reserve(numbers_.size());
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    RankStart& start = starts_[i];
    start.crew = this;
    start.index = i;
    start.number = numbers_[i];
    start.numa_node = cores[static_cast<std::size_t>(workers[i])].numa_node;
    start.resident = &residents_[i];
    ult::Attributes attributes;
    attributes.worker = workers[i];
    ult::Ult* made = nullptr;
    if (Error e = ult::spawn(run_rank, &start, attributes, &made)) {
      // Ranks that have started may already wait for those that never will.
      const Error told = std::move(e).within("starting rank " + std::to_string(start.number));
      abort_job(1, told.text());
    }
    mains_.push_back(made);
  }
  list_main_strands(mains_);
}

bool Crew::await_ends() {
  bool returned = true;
  for (std::size_t i = 0; i < mains_.size(); ++i) {
    starts_[i].ended.wait();
    if (starts_[i].main_stays) {
      returned = false;
    } else {
      forget_main_strand(i);  // once more: it may have ended before all were listed
      ult::join(mains_[i]);
    }
  }
  return returned;
}

Resident* find_resident(int number) noexcept {
  const std::span<Resident> all = residents();
  if (all.empty()) return nullptr;
  const std::vector<int>& numbers = start_of_rank.get().start->crew->numbers();
  const auto found = std::ranges::lower_bound(numbers, number);
  if (found == numbers.end() || *found != number) return nullptr;
  return &all[static_cast<std::size_t>(found - numbers.begin())];
}

std::span<Resident> residents() noexcept {
  const RankStart* const start = start_of_rank.get().start;
  return start == nullptr ? std::span<Resident>() : start->crew->residents();
}

void end_rank_from_thread(int status) {
  RankStart& start = *start_of_rank.get().start;
  start.is_to_stay(status);
  start.stay();
}

namespace {
[[noreturn]] void end_rank_in_place(int status, const char* where) {
  if (start_of_rank.get().start->is_alone()) {
    platform::remove_openmp_segment(getpid());
    _exit(status);
  }
  abort_without("the program", status, where);
}
}  // namespace

void end_rank_outside_main(int status) {
  end_rank_in_place(status, "in a constructor or destructor, outside of main");
}

void end_rank_inside_mpi(int status) {
  end_rank_in_place(status, "in a signal handler that has interrupted MPI");
}

void end_job_for_left_call(const char* call) {
  abort_job(1, std::string("a signal handler has left ") + call +
                   " by longjmp; only code of the program may be left in this way");
}

}  // namespace heddle::runtime
