// host_command.h — from a job to the process that runs it.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The words that start heddle-host for this job; see launch/host/job_words.h. Throws Failure when a
// program is not to be found.
Words host_command(const CommandLine& line);

// Becomes that process. Returns only by throwing Failure.
[[noreturn]] void run_host(const Words& command);

}  // namespace heddle::launch
