// processes.h — a job of several processes, of one rank or of many: mpiexec starts them, stays as
// their parent, and ends what they leave.
//
//   mpiexec ── supervisor ──┬─ rank 0  standard input is mpiexec's
//                           ├─ rank 1  … is empty
//                           └─ …       output goes straight to mpiexec's, or through labels.h
//   supervisor.h: mpiexec is two processes; "mpiexec" below is the supervisor
//
// Below, a rank stands for a process of many ranks, too. Such a process labels lines by itself.
//
//   a rank                                             mpiexec
//   -------------------------------------------------  --------------------------------------------
//   is killed by a signal                              says so and ends the job; status 128 +
//                                                      signal
//   exits between MPI_Init and MPI_Finalize            says so and ends the job; its status
//   … with 0                                           as decision 75 says: ends the job if another
//                                                      one needs it
//   calls MPI_Abort (runtime/job_board/job_page.h, kAborted)     ends the job; its status
//   exits before MPI_Init, and another initializes     says so and ends the job; its status, or 1
//                                                      for 0
//   ends otherwise                                     waits for the others; the first status that
//                                                      is not 0
//
// To end the job is to kill all processes below mpiexec, those that ranks have started, too. Ranks
// stay in mpiexec's process group: the terminal's Ctrl-C and Ctrl-Z reach them by themselves,
// signals from kill are passed on (signals.h). A rank that a passed-on SIGINT or SIGTERM has killed
// ends the job without a word, and mpiexec dies of the same signal.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// What it would run, in the words of job_words.h. Throws Failure if a program is not found.
Words processes_command(const CommandLine& line);

// Runs the job to its end; returns mpiexec's exit status. Throws Failure if a process cannot be
// started; then none runs.
int run_processes(const CommandLine& line);

}  // namespace heddle::launch
