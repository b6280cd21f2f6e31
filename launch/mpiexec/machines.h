// machines.h — the machines that -host and -hostfile name.
//
//   -host a,b:4            4 is accepted, and changes nothing: ranks are spread evenly
//   -hostfile FILE         a machine a line, and words that change nothing; # begins a comment
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Adds them, each once, in the order in which they are named. Throws Failure; `argument` names the option in its sentence.
void add_hosts(const std::string& argument, const std::string& hosts, Words& machines);
void add_host_file(const std::string& argument, const std::string& path, Words& machines);

// True if the job runs on this machine alone, and needs no other launcher.
bool is_for_this_machine(const CommandLine& line);

}  // namespace heddle::launch
