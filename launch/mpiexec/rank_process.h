// rank_process.h — how a process of a rank begins: what it executes, in which directory, with which environment.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "launch/mpiexec/command_line.h"
#include "launch/mpiexec/failure.h"

namespace heddle::launch {

class RankProcess {
 public:
  // `mask`: the signals that it blocks at its start. Throws Failure if the program is not found.
  RankProcess(const CommandLine& line, const Section& section, const sigset_t& mask);

  // Starts one with one more variable. Returns its id, or -1 with *failure; then nothing is left of it.
  pid_t start(const std::string& variable, bool has_input, Failure* failure);

 private:
  [[noreturn]] void become(const std::string& variable, bool has_input, int report);

  const std::string program_;
  const std::string directory_;
  Words arguments_;
  Words environment_;
  const sigset_t mask_;
};

}  // namespace heddle::launch
