// heddle_host_main: the programs of one mpiexec as ranks of this process (include/heddle/host.h).
//
//   programs ── inspect each once ── wire modules ── run_job ─┬─ run_hosted_rank
//                                                             └─ …

#include "heddle/host.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/platform/openmp_segment.h"
#include "base/platform/placement.h"
#include "base/platform/topology.h"
#include "exec/heap/heap.h"
#include "exec/process/threads/threads.h"
#include "runtime/carrier/hosted_job.h"
#include "runtime/carrier/interruption.h"
#include "runtime/carrier/job.h"
#include "runtime/carrier/run_on_hosts.h"
#include "runtime/carrier/start_progress.h"
#include "runtime/carrier/wiring.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/ways/find_way.h"
#include "runtime/ways/pretended_way.h"

namespace heddle::runtime {
namespace {

// A rank's stack is as large as a process's would be; only touched pages cost memory. One that
// grows without limit cannot be had: the most that any rank gets is address space, of which
// thousands of ranks find enough.
std::size_t stack_bytes_of_a_process() noexcept {
  constexpr std::size_t kLeast = 256 << 10;
  constexpr std::size_t kMost = 1 << 30;
  constexpr std::size_t kUsual = 8 << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return kUsual;
  return std::clamp<rlim_t>(limit.rlim_cur, kLeast, kMost);  // RLIM_INFINITY is the largest
}

// Without room for them, workers have no ticks (ult/run/ticks.h).
void tell_of_few_signals(int workers, int process) noexcept {
  constexpr int kTimersOfWorker = 2;
  rlimit limit = {};
  const auto wanted = static_cast<rlim_t>(workers) * kTimersOfWorker;
  if (process != 0 || getrlimit(RLIMIT_SIGPENDING, &limit) != 0 || limit.rlim_cur >= wanted) return;
  std::fprintf(stderr,
               "mpiexec: the limit of pending signals is %llu (ulimit -i), and the workers need "
               "%llu: a rank "
               "that computes does not let others of its worker run; raise the limit\n",
               static_cast<unsigned long long>(limit.rlim_cur),
               static_cast<unsigned long long>(wanted));
}

// A worker that spins on a core that others want keeps them from what it waits for: not longer than
// a sleep takes.
constexpr std::int64_t kSharedCoreSpinNs = 2'000;

// Each of several has its part of the cores, and as many workers as the others.
ult::SchedulerOptions scheduler_options(const heddle_job& face, const Way& way) noexcept {
  const int cores = static_cast<int>(platform::usable_cpus().size());
  const int number = way.number_on_node(), processes = way.processes_on_node();
  ult::SchedulerOptions options;
  options.workers = face.workers > 0 ? face.workers : std::max(cores / processes, 1);
  options.first_core = number * cores / processes;
  if (options.workers * processes > cores) options.spin_ns = kSharedCoreSpinNs;
  options.binding = face.binding == HEDDLE_BIND_NONE ? ult::Binding::kNone : ult::Binding::kCore;
  options.stack_bytes = stack_bytes_of_a_process();
  options.slice_ns = slice_ns();
  options.is_program_code = is_program_or_string_code;
  return options;
}

int most_ranks_here(const heddle_job& face, int processes) {
  int ranks = 0;
  for (int i = 0; i < face.program_count; ++i) ranks += face.programs[i].ranks;
  processes = std::max(processes, 1);
  if (face.host_of_rank != nullptr) {
    std::vector<int> counts(static_cast<std::size_t>(processes));
    for (int i = 0; i < ranks; ++i) ++counts[static_cast<std::size_t>(face.host_of_rank[i])];
    return *std::ranges::max_element(counts);
  }
  return (ranks + processes - 1) / processes;
}

// The way to the other processes of the job; mpiexec says how many there must be.
Error find_way_of_host(const heddle_job& face, const Pretence& pretence, int memory,
                       std::unique_ptr<Way>* way) {
  if (memory < 0 && face.hosts == 0) {
    *way = way_of(pretence);
    return {};
  }
  if (Error e = find_way(memory, Silences::kHostsCome, way)) return e;
  const int found = (*way)->processes();
  if (memory >= 0 || found == face.hosts) return {};
  return Error::make(kErrorOther,
                     "the launcher has started %d processes that know of each other, not %d", found,
                     face.hosts);
}

Error run_hosted(const heddle_job& face, const Pretence& pretence, int* status) {
  int memory = -1;
  if (Error e = job_board().join(&memory)) return e;
  std::unique_ptr<Way> way;
  if (Error e = find_way_of_host(face, pretence, memory, &way)) return e;
  HostedJob job;
  if (Error e = inspect_programs(face, &job)) return e;
  job.ranks_here = most_ranks_here(face, way->processes());
  if (Error e = wire_modules(face, job.ranks_here)) return e;
  StartProgress progress(job.ranks_here);
  job.progress = &progress;
  JobOptions options;
  options.ranks = job.ranks;
  options.scheduler = scheduler_options(face, *way);
  tell_of_few_signals(options.scheduler.workers, way->number_on_node());
  if (face.map_by != nullptr) options.placement.map_by = platform::part_named(face.map_by);
  options.placement.rank_by_fill = face.rank_by_fill != 0;
  options.report_bindings = face.report_bindings != 0;
  options.checks_deadlock = face.no_deadlock_check == 0;
  options.longest_s = face.timeout;
  options.balances = face.balance != 0;
  options.way = way.get();
  options.host_of_rank = face.host_of_rank;
  options.process_ends = true;
  options.main = run_hosted_rank;
  options.context = &job;
  Error failed = run_job(options, status);
  static_cast<void>(way.release());  // threads may wait until the process ends
  unwire_modules();
  // Ranks that have left by _exit have not ended their copy of libomp. Its destructor would wait
  // for threads that no rank has any more.
  platform::remove_openmp_segment(getpid());
  if (!failed && process::ults_remain()) {
    std::fflush(nullptr);
    _exit(*status);
  }
  return failed;
}

int run_and_tell(const heddle_job& job, const Pretence& pretence) {
  int status = 0;
  const Error e = run_hosted(job, pretence, &status);
  if (!e) return status;
  const std::string where = job.hosts > 0 ? "node " + name_of_node() + ": " : "";
  std::fprintf(stderr, "mpiexec: %s%.*s\n", where.c_str(), static_cast<int>(e.text().size()),
               e.text().data());
  tell_of_abort(1);
  return 1;
}

}  // namespace
}  // namespace heddle::runtime

extern "C" const char* heddle_host_allocator(const struct heddle_job* job) {
  static std::string found;
  heddle::runtime::wire_images(*job);
  found = heddle::runtime::find_allocator(*job);
  if (!found.empty()) return found.c_str();
  if (heddle::runtime::has_allocator()) return nullptr;
  return heddle::heap::find_library(heddle::runtime::most_ranks_here(
      *job, std::max(job->hosts, heddle::runtime::processes_of_job())));
}

extern "C" int heddle_host_main(const struct heddle_job* job) {
  return heddle::runtime::run_and_tell(*job, {});
}

int heddle_host_on_hosts(const heddle_job* job, const heddle::runtime::Pretence* pretence) {
  return heddle::runtime::run_and_tell(*job, *pretence);
}
