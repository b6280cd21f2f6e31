#include "runtime/carrier/observation.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/settings.h"
#include "exec/observe/observe.h"
#include "exec/observe/table.h"
#include "exec/observe/trace.h"
#include "exec/observe/trace_file.h"
#include "exec/observe/trace_frame.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

namespace {

using observe::RankFigures;
using observe::WorkerFigures;

// The figures of a process that prints its own table. Never destroyed: threads may count until the
// process ends.
struct Figures {
  std::vector<RankFigures> ranks;
  std::vector<WorkerFigures> workers;
};
Figures* figures = nullptr;

bool is_observed = false;
int this_host = 0;
bool has_parts = false;  // the trace: of each process one

bool wants_figures() noexcept {
  return settings::value(settings::Id::kStats) == static_cast<int>(settings::Stats::kYes);
}

void begin_figures(int ranks, int workers, int host) {
  const auto count = static_cast<std::size_t>(workers);
  JobPage& page = job_board().page();
  if (page.figures.ranks != 0) {
    const auto each = static_cast<std::size_t>(page.figures.workers_each);
    const auto first = static_cast<std::size_t>(host) * each;
    return observe::begin(page.rank_figures(),
                          page.worker_figures().subspan(first, std::min(count, each)));
  }
  figures = new Figures{std::vector<RankFigures>(static_cast<std::size_t>(ranks)),
                        std::vector<WorkerFigures>(count)};
  observe::begin(figures->ranks, figures->workers);
}

void write_trace(observe::Trace& trace) {
  trace.end();
  const std::string& whole = settings::text(settings::Id::kTrace);
  const std::string path = has_parts ? observe::part_of_trace(whole, this_host) : whole;
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "mpiexec: no trace can be written to %s: %s\n", path.c_str(),
                 std::strerror(errno));
    return;
  }
  const bool is_part = has_parts && job_board().is_shared();
  if (!is_part) std::fputs(observe::kTraceOpening, file);
  observe::write_events(file, trace, this_host, 0);
  if (!is_part) std::fputs(observe::kTraceClosing, file);
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "mpiexec: the trace in %s is not whole: %s\n", path.c_str(),
                 std::strerror(errno));
  }
  if (trace.dropped() == 0) return;
  std::fprintf(stderr,
               "mpiexec: the memory for the trace was full; %llu later events are missing\n",
               static_cast<unsigned long long>(trace.dropped()));
}

}  // namespace

void begin_observation(int ranks, int workers, int host, int hosts) {
  const bool has_trace = !settings::text(settings::Id::kTrace).empty();
  is_observed = wants_figures() || has_trace;
  this_host = host;
  has_parts = hosts > 1;
  if (wants_figures()) begin_figures(ranks, workers, host);
  if (has_trace) observe::begin_trace(workers);
  // Programs that this process starts are no part of the job.
  unsetenv(settings::setting_of(settings::Id::kStats).name);
  unsetenv(settings::setting_of(settings::Id::kTrace).name);
}

void end_observation() {
  if (!is_observed) return;
  if (wants_figures()) observe::end_workers();
  if (figures != nullptr) {
    const int workers = static_cast<int>(figures->workers.size());
    std::fputs(observe::table_of(figures->ranks, figures->workers, workers).c_str(), stderr);
  }
  if (observe::Trace* const trace = observe::the_trace()) write_trace(*trace);
}

void observe_until_exit(int ranks, int host) {
  begin_observation(ranks, 0, host, ranks);
  if (!is_observed) return;
  observe::call_begins(false);
  static pid_t observed;
  observed = getpid();
  std::atexit([] {
    if (getpid() == observed) end_observation();  // and in no child of a fork
  });
}

}  // namespace heddle::runtime
