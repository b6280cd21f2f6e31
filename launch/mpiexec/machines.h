// machines.h — the machines that -host and -hostfile name, else those of the batch system's
// allocation.
//
//   -host a,b:4            4 ranks on b before others get more (spread.h)
//   -hostfile FILE         a machine a line: `a`, `a:4`, `a slots=4`; other words change nothing; #
//                          begins a comment
//
// One that is named again has as many more.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>
#include <vector>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Adds them, each once, in the order in which they are named. Throws Failure; `argument` names the
// option in its sentence.
void add_hosts(const std::string& argument, const std::string& hosts,
               std::vector<Machine>& machines);
void add_host_file(const std::string& argument, const std::string& path,
                   std::vector<Machine>& machines);

// Where the user has named none.
void take_allocation(CommandLine& line);

// True if the job runs on this machine alone, and needs no other launcher.
bool is_for_this_machine(const CommandLine& line);

}  // namespace heddle::launch
