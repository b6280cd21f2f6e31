// reports.h — what mpiexec tells at the end of a job of several processes: one table of all figures
// (--stats), and one file of all traces (--trace).
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"
#include "runtime/job_board/job_page.h"

namespace heddle::launch {

// Says which figures the processes are to have room for; none without --stats.
runtime::FiguresInPage figures_of(const CommandLine& line, int ranks);

// Called when all processes have ended.
void print_figures(runtime::JobPage& page);
// Puts the parts together that processes have written, and removes them.
void join_traces(int processes);

}  // namespace heddle::launch
