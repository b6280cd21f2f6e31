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
#include "runtime/abort.h"
#include "runtime/by_network.h"
#include "runtime/hosted_job.h"
#include "runtime/hosted_rank.h"
#include "runtime/interruption.h"
#include "runtime/job.h"
#include "runtime/launched_job.h"
#include "runtime/process_rank.h"
#include "runtime/run_on_hosts.h"
#include "runtime/start_progress.h"
#include "runtime/wiring.h"

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

// Says which of the processes of this node that carry ranks this one is.
struct PlaceOnNode {
  int number = 0;
  int processes = 1;
};

// A worker that spins on a core that others want keeps them from what it waits for: not longer than
// a sleep takes.
constexpr std::int64_t kSharedCoreSpinNs = 2'000;

// Each of several has its part of the cores, and as many workers as the others.
ult::SchedulerOptions scheduler_options(const heddle_job& face, const PlaceOnNode& place) noexcept {
  const int cores = static_cast<int>(platform::usable_cpus().size());
  ult::SchedulerOptions options;
  options.workers = face.workers > 0 ? face.workers : std::max(cores / place.processes, 1);
  options.first_core = place.number * cores / place.processes;
  if (options.workers * place.processes > cores) options.spin_ns = kSharedCoreSpinNs;
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

// The job of which this process is one host; nullptr if there are no others, or if they talk
// through the memory of this node.
Error find_launched(const heddle_job& face, const ProcessRank& process,
                    std::unique_ptr<LaunchedJob>* launched) {
  *launched = by_network(process);
  if (face.hosts == 0 || *launched != nullptr) return {};
  if (Error e = LaunchedJob::find(Silences::kHostsCome, abort_for_others, launched)) return e;
  const int found = *launched != nullptr ? (*launched)->hosts() : 1;
  if (found == face.hosts) return {};
  return Error::make(kErrorOther,
                     "the launcher has started %d processes that know of each other, not %d", found,
                     face.hosts);
}

Error run_hosted(const heddle_job& face, const Pretence& pretence, int* status) {
  ProcessRank process;
  if (Error e = find_process_rank(&process)) return e;
  std::unique_ptr<LaunchedJob> launched;
  if (Error e = find_launched(face, process, &launched)) return e;
  HostedJob job;
  if (Error e = inspect_programs(face, &job)) return e;
  const int most_here = most_ranks_here(face, std::max(face.hosts, process.processes));
  if (Error e = wire_modules(face, most_here)) return e;
  PlaceOnNode place{process.number, process.processes};
  if (launched != nullptr) place = {launched->number_on_node(), launched->hosts_on_node()};
  const int hosts = launched != nullptr ? launched->hosts() : process.processes;
  job.ranks_here = most_ranks_here(face, hosts);
  StartProgress progress(job.ranks_here);
  job.progress = &progress;
  JobOptions options;
  options.ranks = job.ranks;
  options.scheduler = scheduler_options(face, place);
  tell_of_few_signals(options.scheduler.workers, place.number);
  if (face.map_by != nullptr) options.placement.map_by = platform::part_named(face.map_by);
  options.placement.rank_by_fill = face.rank_by_fill != 0;
  options.report_bindings = face.report_bindings != 0;
  options.checks_deadlock = face.no_deadlock_check == 0;
  options.longest_s = face.timeout;
  options.balances = face.balance != 0;
  options.pretence = pretence;
  options.launched = launched.get();
  options.host_of_rank = face.host_of_rank;
  options.process = process;
  options.process_ends = true;
  options.main = run_hosted_rank;
  options.context = &job;
  Error failed = run_job(options, status);
  static_cast<void>(launched.release());  // threads may wait until the process ends
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
  end_launched_job(1);
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
