#include "runtime/carrier/job.h"

#include <mpi.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "base/platform/foreign.h"
#include "base/settings.h"
#include "exec/process/threads/threads.h"
#include "exec/process/time/load.h"
#include "net/channel/channels.h"
#include "runtime/balance/balancing.h"
#include "runtime/carrier/observation.h"
#include "runtime/crew/main_strands.h"
#include "runtime/crew/workers_of_ranks.h"
#include "runtime/judge/deadlock.h"
#include "runtime/judge/time_limit.h"

namespace heddle::runtime {

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

void spawn(Crew& crew, const JobOptions& options) {
  const auto cores = cores_of_workers();
  const std::vector<int> workers =
      workers_of_ranks(crew.numbers().size(), cores, options.placement);
  if (options.report_bindings) {
    const bool bound = options.scheduler.binding != ult::Binding::kNone;
    std::fputs(report_of(crew.numbers(), workers, cores, bound).c_str(), stderr);
  }
  platform::note_own_handlers();  // before a program could install one
  crew.spawn(workers, cores);
}

}  // namespace

Error run_job(const JobOptions& options, int* status) {
  if (Error e = settings::check()) return e;
  if (Error e = begin_loads(options)) return e;
  Way& way = *options.way;
  if (options.process_ends) {
    begin_observation(options.ranks, options.scheduler.workers, way.process(), way.processes());
  }
  if (Error e = ult::start(options.scheduler)) return e;
  const bool checks_deadlock = options.checks_deadlock && options.process_ends;
  Hosts hosts(way.layout(options.ranks, options.host_of_rank), way);
  Crew crew(options, hosts);
  Listener* const listener = checks_deadlock ? listen_for_deadlock(way) : nullptr;
  if (Error e = hosts.connect(channel::usual_count(ult::worker_count()), listener)) {
    ult::stop();
    return e;
  }
  spawn(crew, options);
  if (checks_deadlock) watch_for_deadlock(crew.numbers(), hosts, way);
  if (options.longest_s != 0) limit_time(options.longest_s, crew.numbers());
  std::optional<Balancing> balancing;
  if (options.balances) {
    balancing.emplace(crew.residents());
    balancing->start();  // where there is no thread for it, the job runs all the same
  }
  const bool returned = crew.await_ends();
  balancing.reset();
  end_observation();
  forget_all_main_strands();
  hosts.leave();
  if ((returned && !process::ults_remain()) || !options.process_ends) ult::stop();
  *status = crew.first_failure();
  return {};
}

}  // namespace heddle::runtime
