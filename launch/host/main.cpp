// heddle-host — the one OS process of a job. mpiexec execs it; see job_words.h. Everything that it
// does is in libmpi_abi.so.1: this file exists because a job needs an executable of its own, whose
// symbols no rank can mistake for its program's.

#include "launch/host/start.h"

int main(int argc, char** argv) {
  return heddle::launch::start(argc, argv, heddle_host_main);
}
