#include "runtime/job.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/openmp_segment.h"
#include "base/settings.h"
#include "base/spin_lock.h"
#include "exec/heap/heap.h"
#include "exec/observe/observe.h"
#include "exec/process/threads/threads.h"
#include "exec/process/time/load.h"
#include "exec/rank/rank.h"
#include "exec/ult/completion.h"
#include "exec/ult/move.h"
#include "exec/ult/ult.h"
#include "runtime/abort.h"
#include "runtime/balancing.h"
#include "runtime/deadlock.h"
#include "runtime/hosts.h"
#include "runtime/left_elsewhere.h"
#include "runtime/observation.h"
#include "runtime/process_rank.h"
#include "runtime/rest.h"
#include "runtime/state.h"
#include "runtime/time_limit.h"
#include "runtime/workers_of_ranks.h"

namespace heddle::runtime {

namespace {

struct Launch {
  explicit Launch(const JobOptions& its_options)
      : options(its_options),
        hosts(options.launched != nullptr
                  ? Hosts(Layout(options.ranks, options.launched->nodes(), options.host_of_rank),
                          *options.launched, options.process, options.checks_deadlock)
              : options.process.processes > 1 ? Hosts(options.ranks, options.process)
                                              : Hosts(options.ranks, options.pretence)),
        ranks_here(hosts.ranks_here()),
        residents(ranks_here.size()) {}

  // True if another launcher has started the hosts.
  bool is_over_hosts() const noexcept {
    return options.launched != nullptr && !options.process.is_one();
  }

  const JobOptions& options;
  Hosts hosts;
  const std::vector<int> ranks_here;  // ascending
  std::vector<Resident> residents;    // of ranks_here
  std::atomic<int> first_failure{0};

  // Ranks that end before MPI_Init and those that have called it would wait for each other: the
  // second of the two ends the job. Both write one and read the other, seq_cst.
  std::atomic<bool> initialized{false};
  std::atomic<int> ended_outside{JobPage::kNone};  // the status of one

  // Ranks that have ended with status 0 without MPI_Finalize and those that have called it would
  // wait for each other, too: the second of the two ends the job. Both write one and read the
  // other, seq_cst.
  std::atomic<bool> finalizing{false};
  std::atomic<int> left_early{0};

  std::atomic<int> ended_inside{0};  // with MPI running; the first of them watches the others

  std::atomic<int> over{0};  // ranks that have ended in any way
};

// One rank of the job; lives until all of them have ended.
struct RankStart {
  Launch* launch = nullptr;
  int number = 0;
  int numa_node = 0;  // of its worker
  Resident* resident = nullptr;
  bool main_stays = false;  // written before `ended` is set
  ult::Completion ended;
};

struct StartOfRank {
  RankStart* start = nullptr;
};
RankLocal<StartOfRank> start_of_rank;

// Returns when all ranks have ended. Ends the job if those that are left do nothing any more, and
// one of them is inside MPI: it waits for a rank that has gone. A job that waits uses no processor
// time. May switch.
void watch_others(const Launch& launch, const char* without) {
  Rest rest(processor_time_ns());
  while (launch.over != static_cast<int>(launch.ranks_here.size())) {
    ult::sleep_until(platform::now_ns() + rest.pause_ns());
    if (!rest.after_pause(processor_time_ns())) continue;
    if (ranks_inside() > launch.ended_inside) abort_without("the program", 0, without);
    rest = Rest(processor_time_ns());
  }
}

enum class Then { kEnds, kStays };

// What the calling rank has left out, where it ends with MPI running.
const char* what_it_left_out() {
  return phase() == Phase::kRunning ? kUnfinalized : kSessionOpen;
}

// The rank ended with status 0, and MPI is running. What it has sent stays where it is: the others
// may receive it. No rank waits in MPI_Finalize for one that only a session keeps.
Then leave_early(Launch& launch) {
  const char* const without = what_it_left_out();
  if (!launch.options.process_ends) abort_without("the program", 0, without);
  if (phase() != Phase::kFinal) {
    ++launch.left_early;
    tell_left_early();
    if (launch.is_over_hosts()) launch.options.launched->tell_left_early();
    if (launch.finalizing || others_finalize()) abort_without("the program", 0, without);
  }
  const bool first = launch.ended_inside++ == 0;
  ++launch.over;
  if (first) watch_others(launch, without);
  return Then::kStays;
}

// The rank ended; see what that means for the job.
Then account(Launch& launch, int status) {
  if (mpi_is_running()) {
    if (status == 0) return leave_early(launch);
    abort_without("the program", status, what_it_left_out());
  }
  ++launch.over;
  int none = 0;
  // relaxed: read only after join.
  launch.first_failure.compare_exchange_strong(none, status, std::memory_order_relaxed);
  if (phase() == Phase::kFinal || !launch.options.process_ends) return Then::kEnds;
  launch.ended_outside = status;
  if (launch.initialized) abort_without("the program", status, kUninitialized);
  return Then::kEnds;
}

LeftElsewhere::Ranks ranks_of(const Launch& launch) {
  return {.finalize =
              [](const void* job) { return static_cast<const Launch*>(job)->finalizing.load(); },
          .stay =
              [](const void* job) {
                return ranks_inside() > static_cast<const Launch*>(job)->ended_inside;
              },
          .end_job = [] { abort_without("another rank", 0, kUnfinalized); },
          .context = &launch};
}

// A thread that the program left running stays one of the rank's until the process ends.
void keep_for_its_threads(std::unique_ptr<Rank> rank) {
  // Lock: guards the list of ranks that have ended and left threads running.
  static SpinLock lock;
  static auto& kept = *new std::vector<Rank*>;  // nothing of it is ever destroyed
  SpinGuard guard(lock);
  kept.push_back(rank.release());
}

// The main ult of a rank, from first to last.
void run_rank(void* argument) {
  RankStart& start = *static_cast<RankStart*>(argument);
  Launch& launch = *start.launch;
  auto rank = std::make_unique<Rank>(start.number);
  Rank::enter(rank.get());  // and while its RankLocal values are destroyed
  heap::begin_rank(start.numa_node);
  const ult::UltMemory own = ult::memory_of(*ult::current());
  heap::add_pages(own.low, own.bytes);
  start_of_rank.get().start = &start;
  launch.hosts.introduce(*rank);
  start.resident->begin(*rank);
  observe::strand_begins();
  if (account(launch, launch.options.main(start.number, launch.options.context)) == Then::kStays) {
    start.main_stays = true;
    start.ended.set();
    ult::Completion never;
    never.wait();
  }
  start.resident->end();
  if (process::live_threads(*rank) != 0) keep_for_its_threads(std::move(rank));
  rank.reset();
  Rank::enter(nullptr);
  start.ended.set();
}

// Waits for the ranks; returns true if all main strands have returned. May switch.
bool await_ends(const Launch& launch, std::vector<RankStart>& starts,
                const std::vector<ult::Ult*>& ults) {
  std::optional<LeftElsewhere> left_elsewhere;
  if (launch.is_over_hosts()) left_elsewhere.emplace(ranks_of(launch));
  bool returned = true;
  for (std::size_t i = 0; i < ults.size(); ++i) {
    starts[i].ended.wait();
    if (starts[i].main_stays) {
      returned = false;
    } else {
      forget_rank(ults[i]);
      ult::join(ults[i]);
    }
  }
  return returned;
}

}  // namespace

Resident* find_resident(int number) noexcept {
  const RankStart* const start = start_of_rank.get().start;
  if (start == nullptr) return nullptr;  // a job of one that MPI_Init has made
  Launch& launch = *start->launch;
  const auto found = std::ranges::lower_bound(launch.ranks_here, number);
  if (found == launch.ranks_here.end() || *found != number) return nullptr;
  return &launch.residents[static_cast<std::size_t>(found - launch.ranks_here.begin())];
}

std::span<Resident> residents() noexcept {
  const RankStart* const start = start_of_rank.get().start;
  return start == nullptr ? std::span<Resident>() : start->launch->residents;
}

void note_initialized() {
  const RankStart* const start = start_of_rank.get().start;
  if (start == nullptr) return;  // a job of one that MPI_Init has made
  Launch& launch = *start->launch;
  if (launch.initialized.exchange(true)) return;
  const int status = launch.ended_outside;
  if (status != JobPage::kNone) abort_without("another rank", status, kUninitialized);
}

void note_finalizing() {
  const RankStart* const start = start_of_rank.get().start;
  if (start == nullptr) return;  // a job of one that MPI_Init has made
  start->launch->finalizing = true;
  if (start->launch->left_early != 0) abort_without("another rank", 0, kUnfinalized);
}

void end_rank_from_thread(int status) {
  RankStart& start = *start_of_rank.get().start;
  account(*start.launch, status);
  start.main_stays = true;
  start.ended.set();
}

namespace {
[[noreturn]] void end_rank_in_place(int status, const char* where) {
  if (start_of_rank.get().start->launch->options.ranks == 1) {
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

namespace {
Error begin_loads(const JobOptions& options) {
  if (!options.balances) return {};
  if (options.scheduler.slice_ns == 0) {
    return Error::make(MPI_ERR_OTHER,
                       "option --balance needs time slices, but HEDDLE_TIME_SLICE is 0, or this is "
                       "a build for a sanitizer");
  }
  process::measure_loads(options.ranks);
  return {};
}

void observe(const JobOptions& options) {
  if (!options.process_ends) return;
  const LaunchedJob* const launched = options.launched;
  const int host = launched != nullptr ? launched->host() : options.process.number;
  const int hosts = launched != nullptr ? launched->hosts() : options.process.processes;
  begin_observation(options.ranks, options.scheduler.workers, host, hosts);
}

// deadlock.h, P1.
bool may_prove_deadlock(Launch& launch) noexcept {
  const JobOptions& options = launch.options;
  const bool is_whole = static_cast<int>(launch.ranks_here.size()) == options.ranks;
  return options.checks_deadlock && options.process_ends &&
         (is_whole || launch.hosts.node_memory() != nullptr ||
          launch.hosts.still_hosts() != nullptr);
}

void watch(Launch& launch, const std::vector<ult::Ult*>& ults) {
  watch_ranks(ults);
  if (may_prove_deadlock(launch)) watch_for_deadlock(launch.ranks_here, launch.hosts);
  const int longest_s = launch.options.longest_s;
  if (longest_s != 0) limit_time(longest_s, launch.ranks_here);
}

}  // namespace

Error run_job(const JobOptions& options, int* status) {
  if (Error e = settings::check()) return e;
  if (Error e = begin_loads(options)) return e;
  observe(options);
  if (Error e = ult::start(options.scheduler)) return e;

  Launch launch(options);
  const Factories brought(options.pretence.transports);
  if (Error e = launch.hosts.connect(brought.empty() ? usual_factories() : brought)) {
    ult::stop();
    return e;
  }
  const auto ranks_here = launch.ranks_here.size();
  std::vector<RankStart> starts(ranks_here);
  std::vector<ult::Ult*> ults;
  ults.reserve(starts.size());
  const auto cores = cores_of_workers();
  const std::vector<int> workers = workers_of_ranks(ranks_here, cores, options.placement);
  for (std::size_t i = 0; i < ranks_here; ++i) {
    launch.hosts.place(launch.ranks_here[i], workers[i]);
  }
  if (options.report_bindings) {
    const bool bound = options.scheduler.binding != ult::Binding::kNone;
    std::fputs(report_of(launch.ranks_here, workers, cores, bound).c_str(), stderr);
  }
  platform::note_own_handlers();  // before a program could install one
  Error failed;
  for (std::size_t i = 0; i < ranks_here && !failed; ++i) {
    RankStart& start = starts[i];
    start.launch = &launch;
    start.number = launch.ranks_here[i];
    start.numa_node = cores[static_cast<std::size_t>(workers[i])].numa_node;
    start.resident = &launch.residents[i];
    ult::Attributes attributes;
    attributes.worker = workers[i];
    ult::Ult* made = nullptr;
    failed = ult::spawn(run_rank, &start, attributes, &made);
    if (!failed) ults.push_back(made);
  }
  if (failed) {
    // Ranks that have started may already wait for those that never will.
    const Error told =
        std::move(failed).within("starting rank " + std::to_string(launch.ranks_here[ults.size()]));
    abort_job(1, told.text());
  }
  watch(launch, ults);
  std::optional<Balancing> balancing;
  if (options.balances) {
    balancing.emplace(launch.residents);
    balancing->start();  // where there is no thread for it, the job runs all the same
  }
  const bool returned = await_ends(launch, starts, ults);
  balancing.reset();
  end_observation();
  forget_all_ranks();
  launch.hosts.leave();
  if ((returned && !process::ults_remain()) || !options.process_ends) ult::stop();
  *status = launch.first_failure.load(std::memory_order_relaxed);
  return {};
}

}  // namespace heddle::runtime
