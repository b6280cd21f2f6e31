// process_rank.h — this process as one of several of a job: what mpiexec has handed to it, and what
// each tells the others.
//
//   MPI_Init ── a page? ── no: a job of one (singleton.h)
//                           └─ yes: rank R of N, host R of N hosts of one node; shared memory leads
//                                   to the others
//
// Thread safety: find_process_rank the strand that initializes; the rest any, after it.

#pragma once

#include <cstdint>

#include "base/error.h"
#include "runtime/job_page.h"

namespace heddle::runtime {

struct ProcessRank {
  int number = 0;
  int processes = 1;
  int memory = -1;  // a descriptor; -1: this process was not started as a rank

  bool is_one() const noexcept { return memory >= 0; }
};

// Reads what mpiexec has handed over, takes the process's card and removes the variable. Nothing,
// if there is no such variable, or if another process has the card and still runs: this one is a
// child of it. Fails if the descriptors are gone or the other process has ended.
Error find_process_rank(ProcessRank* found);

// How many processes mpiexec has started for the job's ranks; 1: it has handed over nothing. Before
// find_process_rank, and takes nothing.
int processes_of_job() noexcept;

// Tells mpiexec and the others. What is told must hold for a rank of this process; the phase only
// grows. In a process that is the only one of its job these do nothing.
void tell_phase(ProcessPhase phase) noexcept;
void tell_left_early() noexcept;

// Tell mpiexec and the others that a rank opens a session while it has none, before MPI_Init or
// after MPI_Finalize, and that it closes its last one. The phase falls back to what it was when no
// rank of the process has one.
enum class SessionTime : std::uint8_t { kEarly, kLate };
void tell_in_session(SessionTime time) noexcept;
void tell_out_of_sessions() noexcept;
// Called after kFinal, by a rank that has kept a session open in MPI_Finalize.
void tell_still_in_session() noexcept;
// How many ranks of this process have called MPI_Init or have a session, and have not ended that.
int ranks_inside() noexcept;

// The status of a process that ended before MPI_Init; JobPage::kNone: none has. After
// tell_phase(kRunning).
int ended_outside() noexcept;

// True if a rank of another process ended with status 0 without MPI_Finalize. After
// tell_phase(kFinalizing).
bool others_left_early() noexcept;

// True if a rank of the job is in MPI_Finalize. After tell_left_early().
bool others_finalize() noexcept;

// True for the one process that is to say why the job ends; mpiexec ends the others.
bool may_say_why() noexcept;

// The page of the job; null in a process that is the only one of its job.
JobPage* job_page() noexcept;
int own_process() noexcept;  // which one of it this is; 0 there

// What all processes of the job that still run have used.
std::int64_t processor_time_ns() noexcept;

}  // namespace heddle::runtime
