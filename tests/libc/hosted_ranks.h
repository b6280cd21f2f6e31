// hosted_ranks.h — runs a program as ranks in the test's own process, through exec/ult, exec/image
// and exec/process/main and nothing above them, and as a plain process: the oracle.
//
// Thread safety: one run at a time.

#pragma once

#include <string>
#include <vector>

#include "exec/process/main/run_main.h"

namespace heddle::testing {

struct Ended {
  std::string output;
  std::string errors;
  int status = -1;
  process::Ending ending = process::Ending::kReturned;  // of a rank
};

// Arguments of a program as a function of the rank.
using Arguments = std::vector<std::string>;

// Runs one copy for each entry of `arguments` on `workers` workers. Each has its lines apart.
std::vector<Ended> run_as_ranks(const std::string& program, const std::vector<Arguments>& arguments,
                                int workers = 2);

// Forks and executes; argv[0] is "program", as for ranks.
Ended run_as_process(const std::string& program, const Arguments& arguments,
                     const std::string& input = "");

// As run_as_ranks, with the process's own standard output and error, unlabelled.
void run_as_ranks_here(const std::string& program, const std::vector<Arguments>& arguments,
                       int workers = 2);

}  // namespace heddle::testing
