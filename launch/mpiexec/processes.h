// processes.h — a job whose ranks are processes: mpiexec starts them, stays as their parent, and ends what they leave.
//
//   mpiexec ── fork, exec ──┬─ rank 0   standard input is mpiexec's
//     │                     ├─ rank 1   … is empty
//     │                     └─ …        output goes straight to mpiexec's
//     └─ waits for signals: SIGCHLD, and those that it passes on
//
//   a rank                                          mpiexec
//   ----------------------------------------------  ----------------------------------------------------------
//   is killed by a signal                           says so and ends the job; status 128 + signal
//   exits between MPI_Init and MPI_Finalize         says so and ends the job; its status, or 1 for 0
//   calls MPI_Abort (runtime/job_page.h, kAborted)  ends the job; its status
//   fails before MPI_Init, and another initializes  says so and ends the job; its status
//   ends otherwise                                  waits for the others; the first status that is not 0
//
// To end the job is to kill all processes below mpiexec, those that ranks have started, too. Should mpiexec itself be
// killed, the kernel kills the ranks (PR_SET_PDEATHSIG). Ranks stay in mpiexec's process group: the terminal's Ctrl-C and
// Ctrl-Z reach them by themselves, signals from kill are passed on. A rank that a passed-on SIGINT or SIGTERM has killed
// ends the job without a word, and mpiexec dies of the same signal.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Fails if an option has no meaning here.
void check_for_processes(const CommandLine& line);

// What it would run, in the words of job_words.h. Throws Failure if a program is not found.
Words processes_command(const CommandLine& line);

// Runs the job to its end; returns mpiexec's exit status. Throws Failure if a process cannot be started; then none runs.
int run_processes(const CommandLine& line);

}  // namespace heddle::launch
