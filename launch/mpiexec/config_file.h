// config_file.h — the file of `mpiexec -configfile FILE` (MPI 5.0, 11.5):
//
//   # a comment; empty lines are skipped
//   -n 1 ./master "two words"
//   -n 63 -wdir /data ./worker
//
// Each line is a section. Words are separated by blanks; '…', "…" and \ quote as in a shell.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>
#include <vector>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The words of each line that has any. Throws Failure.
std::vector<Words> read_config_file(const std::string& path);

}  // namespace heddle::launch
