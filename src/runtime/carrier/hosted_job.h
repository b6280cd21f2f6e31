// hosted_job.h — the programs of one mpiexec, which of them a rank runs, and how.
//
//   program 0     program 1     …      each inspected once, before any rank loads its copy
//   ranks 0 … 3   ranks 4 … 5
//
// Thread safety: constant once inspected.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/program.h"
#include "heddle/host.h"

namespace heddle::runtime {

class StartProgress;

// What a rank can ask about how its program was started: MPI_INFO_ENV (MPI 5.0 §11.2.1) and
// MPI_APPNUM (§11.10.3).
struct StartedAs {
  int application = 0;  // which of the programs of mpiexec's command line
  int ranks = 0;        // of that program
  std::string command;
  std::string arguments;  // without the command, separated by blanks
  std::string directory;
};

// A program of the job with what its ranks share.
struct HostedProgram {
  const heddle_program* face = nullptr;
  image::Program file;
  int first_rank = 0;
  StartedAs start;
};

struct HostedJob {
  std::vector<HostedProgram> programs;
  int ranks = 0;
  int ranks_here = 0;  // in one process, at most
  StartProgress* progress = nullptr;
};

Error inspect_programs(const heddle_job& job, HostedJob* out);

const HostedProgram& program_of(const HostedJob& job, int rank);

// The allocator of the first program that brings one; "": none does. A program that cannot be
// loaded is reported when ranks load it.
std::string find_allocator(const heddle_job& job);

// The life of a rank that mpiexec has started, on its main ult: a RankMain (crew/crew.h); `job` is
// the HostedJob. May switch.
//
//   libc, signals: begin ── load the image ── main ── retire the image ── signals, libc: end
int run_hosted_rank(int rank, void* job);

}  // namespace heddle::runtime
