// environment.h — the variables of -x, -env and -genv that the job's process gets itself.
//
//   all ranks have it, with one value   the process's, and so seen by the dynamic linker and by
//                                       libraries that ranks share (libgomp, libc's time zone), as
//                                       well as by ranks
//   anything else                       the rank's own only (exec/process)
//
// One process carries all ranks, so a library that they share reads one environment.
//
// Where ranks are processes, each has its own.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <map>
#include <string>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

using Variables = std::map<std::string, std::string>;

// What options give to the ranks of a section: a later word wins.
Variables variables_of(const CommandLine& line, const Section& section);

// NAME=value of those that every rank has with one value.
Words common_environment(const CommandLine& line);

// Makes them mpiexec's own. Warns of what cannot reach the dynamic linker, since only some ranks
// have it.
void apply_environment(const CommandLine& line);

}  // namespace heddle::launch
