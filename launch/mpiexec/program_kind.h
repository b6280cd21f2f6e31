// program_kind.h — whether the ranks of a job can be threads: each program must be one that our
// mpicc has linked.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// What the user has chosen, or else what the programs need; then it says so on standard error. A
// file that is no program at all needs nothing here: heddle-host has a sentence for it. Throws
// Failure if a program is not found, or if another MPI has linked it.
bool ranks_are_processes(const CommandLine& line);

}  // namespace heddle::launch
