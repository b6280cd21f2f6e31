// child_process.h — how a process of a job begins: what it executes, in which directory, with which
// environment.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "launch/mpiexec/command_line.h"
#include "launch/mpiexec/failure.h"

namespace heddle::launch {

// What mpiexec has changed for itself, as it was.
struct UsualState {
  sigset_t mask;
  rlimit files;
};

// The standard streams of a process. -1: those of mpiexec.
struct Streams {
  bool has_input = false;  // else it is empty
  int output = -1;
  int errors = -1;
};

class ChildProcess {
 public:
  // A rank of the section. Throws Failure if the program is not found.
  ChildProcess(const CommandLine& line, const Section& section, const UsualState& usual);
  // Starts one of the processes that carry the ranks of the job; `words` as host_command() gives
  // them.
  ChildProcess(const Words& words, const UsualState& usual);

  // Starts one with one more variable, on these CPUs; empty: on mpiexec's. Returns its id, or -1
  // with *failure; then nothing is left of it.
  pid_t start(const std::string& variable, const Streams& streams, const std::vector<int>& cpus,
              Failure* failure);

 private:
  [[noreturn]] void become(const std::string& variable, const Streams& streams, int report);

  std::string program_;
  std::string directory_;  // empty: mpiexec's
  Words arguments_;
  Words environment_;
  UsualState usual_;
};

}  // namespace heddle::launch
