// hosted_job.h — the programs of one mpiexec, and which of them a rank runs.
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
#include "runtime/carrier/started_as.h"

namespace heddle::runtime {

class StartProgress;

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

}  // namespace heddle::runtime
