// program_file.h — which file a program's name means, found as a shell finds it.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The absolute path of section.command[0]. A name with a '/' is taken from the section's directory,
// else from here; one without is looked for in -path or PATH, then in the section's directory, as
// other launchers do. Throws Failure with the shell's status for a file that is missing (127) or
// that cannot be executed (126).
std::string find_program(const Section& section);

}  // namespace heddle::launch
