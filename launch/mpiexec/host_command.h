// host_command.h — the command of the process that runs a job, and how mpiexec becomes it.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The words that start heddle-host for this job; see launch/host/job_words.h. Throws Failure if a
// program is not found. `hosts`: 0, or how many such processes another launcher starts; `places`:
// which of them has which rank, if it is not in blocks.
Words host_command(const CommandLine& line, int hosts = 0, const std::string& places = "");

// Appends what each rank of the section runs, in the same words.
void add_program(const CommandLine& line, const Section& section, Words& words);

// The folder of libmpi_abi.so.1, beside mpiexec. Throws Failure.
std::string library_path();

// Puts that folder last into LD_LIBRARY_PATH, for programs that know no other place of the library.
void offer_library();

// Settings of glibc that ranks run better with, for programs that start from now on.
void set_tunables();

// Becomes that process, or the other launcher. Returns only by throwing Failure.
[[noreturn]] void become(const Words& command);

}  // namespace heddle::launch
