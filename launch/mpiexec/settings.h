// settings.h — mpiexec and the settings of the library (docs/reference/settings.md): it takes them
// from options and from its environment, and lets nothing start with a wrong one.
//
// They travel in the environment: the library reads them while the job's process is loaded.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>

#include "base/settings.h"
#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Adds the value to those that the options set. Throws Failure; `called` names the option there.
void choose_setting(settings::Id id, const std::string& called, const std::string& text,
                    CommandLine& line);

// True if the variable is one that the library reads, and so not for single ranks.
bool is_library_setting(const std::string& variable);

// Puts what the options set into the environment, warns of HEDDLE_ variables that are no settings,
// and throws Failure if a value is wrong.
void apply_settings(const CommandLine& line);

// The part of --help about settings.
std::string help_on_settings();

}  // namespace heddle::launch
