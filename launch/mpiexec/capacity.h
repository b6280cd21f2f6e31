// capacity.h — how many ranks this machine can carry at most.
//
//   limit                          what a rank takes of it
//   vm.max_map_count               7 mappings: 2 of the program, 3 of libheddle_libc, its stack and
//                                  a guard
//   memory and swap, the cgroup's  48 KiB, beside the program's own data
//
// Both figures are those of the smallest program, so a number of ranks is refused only if no
// program could have so many. If a larger program needs more, the loader ends the job with a
// sentence.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// Throws Failure if the job has more ranks.
void check_capacity(const CommandLine& line);

}  // namespace heddle::launch
