// launchers.h — a job on several machines: another launcher starts a process on each of them, and
// carries what these must know of each other.
//
//   mpiexec --host a,b -n 64 ./app
//     └─ exec ── mpiexec.hydra -hosts a:1,b:1 -n 2 heddle-host hosts=2 …        ranks are threads
//             or mpiexec.hydra -hosts a:32,b:32 -n 64 ./app                     ranks are processes
//
//   launcher   program         of                  our processes talk to it by   it is taken
//   ---------  --------------  ------------------  ----------------------------  ------------------
//   srun       srun            Slurm               PMI-1, which its pmi2 speaks  in an allocation
//   hydra      mpiexec.hydra   MPICH, Intel MPI    PMI-1                         if PATH has it
//   prterun    prterun         Open MPI 5, PRRTE   PMIx                          if PATH has it but
//                                                                                no hydra
//
// mpiexec is gone then: signals, input, output and the exit status are the launcher's matter.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// What --launcher may name.
bool is_launcher(const std::string& name);
std::string names_of_launchers();

// The launcher's command for this job. Says which launcher it is. Throws Failure if there is none,
// or a program is not found.
Words launcher_command(const CommandLine& line, bool ranks_are_processes);

}  // namespace heddle::launch
