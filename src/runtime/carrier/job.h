// job.h — what exists once in a process that runs a job on workers: settings, the scheduler, the
// hosts, a crew, and what watches over them.
//
//   run_job ── start workers ── open the ways ── spawn the crew ── await its ends ── leave, stop
//                                                  watched meanwhile for deadlocks, for the time, and
//                                                  for uneven loads
//
// Ranks are placed in blocks, unless JobOptions::placement says otherwise: neighbours in
// MPI_COMM_WORLD share a worker, because programs talk most to their neighbours and a message
// inside a worker is the cheapest.
//
// Thread safety: run_job: one at a time in a process, from a kernel thread that is no rank.

#pragma once

#include "base/error.h"
#include "base/platform/placement.h"
#include "exec/ult/scheduler.h"
#include "runtime/crew/crew.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

struct JobOptions : CrewOptions {
  ult::SchedulerOptions scheduler;
  Way* way = nullptr;                 // to the other processes of the job
  const int* host_of_rank = nullptr;  // by rank; null: in blocks
  platform::Placement placement;      // of ranks to workers
  bool report_bindings = false;       // print where they are
  bool checks_deadlock = false;       // judge/deadlock.h
  int longest_s = 0;  // the job ends after so many seconds (time_limit.h); 0: it may take any time
  bool balances = false;  // moves ranks where loads are uneven (balance.h); needs slices
};

// Returns when every rank has ended. `*status` is the first status other than 0 that a rank
// returned, or 0. Fails when a setting is wrong or workers cannot be started; then none has run.
// Ends the process when there is no memory for a rank.
Error run_job(const JobOptions& options, int* status);

}  // namespace heddle::runtime
