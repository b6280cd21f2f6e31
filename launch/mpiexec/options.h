// options.h — the options of mpiexec: one table, which is the parser's and --help's.
//
// Names are compared whole: MPI's launchers have long options with one dash (-npernode 4), which
// libc's getopt would take for a letter and its value (-n pernode). What other launchers have
// beyond the table: peers.h.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <cstddef>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Reads the options at the front of `words` into the section and the job; returns the index of the
// word that follows them (the program). Throws Failure.
std::size_t read_options(const Words& words, Section& section, CommandLine& line);

}  // namespace heddle::launch
