// host_command.h — the command of the process that runs a job, and how mpiexec becomes it.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The words that start heddle-host for this job; see launch/host/job_words.h. Throws Failure if a
// program is not found.
Words host_command(const CommandLine& line);

// Becomes that process. Returns only by throwing Failure.
[[noreturn]] void run_host(const Words& command);

}  // namespace heddle::launch
