// allocation.h — the machines that a batch system has given to this job.
//
//   batch system   the machines                         ranks for each
//   -------------  -----------------------------------  -------------------------------------------
//   Slurm          SLURM_JOB_NODELIST: n[1-3,07],login   SLURM_TASKS_PER_NODE: 2(x3),1; only if the
//                                                        user has asked for tasks
//   PBS            PBS_NODEFILE: a file, one a line      how often a line names the machine
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

struct Allocation {
  std::string name;  // "Slurm's allocation 17"; empty: there is none
  std::vector<Machine> machines;
};

// Throws Failure if it cannot be read.
Allocation find_allocation();

// Reads a list as Slurm writes it; empty: it is not so written.
Words read_slurm_nodes(std::string_view list);
std::vector<int> read_slurm_tasks(std::string_view list);

}  // namespace heddle::launch
