// started_as.h — what a rank can ask about how its program was started: MPI_INFO_ENV (MPI 5.0
// §11.2.1) and MPI_APPNUM (§11.10.3).
//
// Thread safety: set once by the rank's main strand before its program runs, then constant.

#pragma once

#include <string>

namespace heddle::runtime {

struct StartedAs {
  int application = 0;  // which of the programs of mpiexec's command line
  int ranks = 0;        // of that program
  std::string command;
  std::string arguments;  // without the command, separated by blanks
  std::string directory;
};

// Stores it for the calling rank. Before its program runs.
void describe_start(const StartedAs& start);

}  // namespace heddle::runtime
