// process_rank.h — this process as one rank of a job whose ranks are processes: what mpiexec has handed to it.
//
//   MPI_Init ── a page? ── no: a job of one (singleton.h)
//                           └─ yes: rank R of N, host R of N hosts of one node; shared memory leads to the others
//
// Thread safety: find_process_rank the strand that initializes; the rest any, after it.

#pragma once

#include "base/error.h"
#include "runtime/job_page.h"

namespace heddle::runtime {

struct ProcessRank {
  int rank = 0;
  int ranks = 1;
  int memory = -1;  // a descriptor; -1: this process was not started as a rank

  bool is_one() const noexcept { return memory >= 0; }
};

// Reads what mpiexec has handed over, takes the rank's card and removes the variable. Nothing, if there is no such
// variable, or if the rank is another process that still runs: this one is a child of it. Fails if the descriptors are
// gone or the rank has ended.
Error find_process_rank(ProcessRank* found);

// Tells mpiexec. Does nothing in a process that is no rank of such a job.
void tell_phase(ProcessPhase phase) noexcept;

// The status of a rank that failed before MPI_Init; 0: none has. After tell_phase(kRunning).
int failed_outside() noexcept;

}  // namespace heddle::runtime
