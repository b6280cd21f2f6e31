// cpus_of_processes.h — where mpiexec binds ranks that are processes (--bind-to, --map-by,
// --rank-by, --report-bindings).
//
// Bound is what is asked for: --bind-to names a part of the machine, and --map-by alone binds to
// cores. Processes of many ranks (--processes) bind their workers themselves.

#pragma once

#include <vector>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The CPUs of each of `count` processes; empty: it is not bound. Prints a line for each if the user
// asked for it.
std::vector<std::vector<int>> cpus_of_processes(const CommandLine& line, int count);

}  // namespace heddle::launch
