// job.h — runs N ranks on the workers of this host, from before MPI_Init to after MPI_Finalize.
//
//   run_job ── start workers ── a ult for each rank ─┬─ rank 0: enter, RankMain, leave ┐
//                                                    ├─ rank 1: …                      ├ join, stop
//                                                    └─ …                              ┘
//
// Ranks are placed in blocks, unless JobOptions::placement says otherwise: neighbours in
// MPI_COMM_WORLD share a worker, because programs talk most to their neighbours and a message
// inside a worker is the cheapest.
//
// Thread safety: run_job: one at a time in a process, from a kernel thread that is no rank.

#pragma once

#include <mpi.h>

#include <span>

#include "base/error.h"
#include "base/platform/placement.h"
#include "exec/ult/scheduler.h"
#include "runtime/launched_job.h"
#include "runtime/layout.h"
#include "runtime/process_rank.h"
#include "runtime/resident.h"

namespace heddle::runtime {

// The main function of a rank; returns its exit status. Runs on the rank's main ult;
// Rank::current() is set.
using RankMain = int (*)(int rank, void* context);

struct JobOptions {
  int ranks = 1;
  ult::SchedulerOptions scheduler;
  // Where the job has several processes, this one carries a part of the ranks; `ranks` are those of
  // all.
  LaunchedJob* launched = nullptr;    // another launcher has started them
  const int* host_of_rank = nullptr;  // there; null: in blocks
  ProcessRank process;                // mpiexec has
  platform::Placement placement;      // of ranks to workers
  bool report_bindings = false;       // print where they are
  Pretence pretence;                  // for tests
  bool checks_deadlock = false;       // deadlock.h
  int longest_s = 0;  // the job ends after so many seconds (time_limit.h); 0: it may take any time
  bool balances = false;      // moves ranks where loads are uneven (balance.h); needs slices
  bool process_ends = false;  // after the job, so that threads that still run need not stop
  RankMain main = nullptr;
  void* context = nullptr;
};

// Returns when every rank has ended. `*status` is the first status other than 0 that a rank
// returned, or 0. Fails when a setting is wrong or workers cannot be started; then none has run.
// Ends the process when there is no memory for a rank.
Error run_job(const JobOptions& options, int* status);

// The rank with this number, as its host moves it. Null: it is on another host, or the calling rank
// has no host with workers.
Resident* find_resident(int number) noexcept;
// All that this process moves, in the order of their numbers; empty: the calling rank has no host
// with workers.
std::span<Resident> residents() noexcept;

// Called when a rank has finished MPI_Init. Ends the job if another rank has failed before its own
// MPI_Init.
void note_initialized();

// Called when a rank has called MPI_Finalize. Ends the job if another rank has ended without it.
void note_finalizing();

// Ends the calling rank, whose main strand will not return from RankMain. Called by another strand
// of the rank, which then stands still. The main strand's ult stays until the process ends.
void end_rank_from_thread(int status);

// Ends a rank that has left in a constructor or destructor of its program. It may hold locks of the
// loader, which all ranks need, so the job ends with it.
[[noreturn]] void end_rank_outside_main(int status);

// Ends a rank that has left in a handler of a signal that has interrupted MPI, and the job with it:
// other ranks may still write to what the call has on the stack.
[[noreturn]] void end_rank_inside_mpi(int status);

// A handler has left this MPI function by longjmp: the job ends.
[[noreturn]] void end_job_for_left_call(const char* call);

}  // namespace heddle::runtime
