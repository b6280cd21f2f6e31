// options.h — the options of mpiexec: one table, which is the parser's and --help's.
//
// They are read with getopt_long_only of libc, because MPI's launchers have long options with one
// dash
// (-wdir, -np), which the libraries for command lines refuse.

#pragma once

#include <cstddef>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Reads the options at the front of `words` into the section and the job; returns the index of the
// word that follows them (the program). Throws Failure.
std::size_t read_options(const Words& words, Section& section, CommandLine& line);

}  // namespace heddle::launch
