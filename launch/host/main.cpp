// heddle-host — the one OS process of a job. mpiexec execs it; see job_words.h. Everything that it
// does is in libmpi_abi.so.1: this file exists because a job needs an executable of its own, whose
// symbols no rank can mistake for its program's.

#include <heddle/host.h>

#include <cstdio>

#include "launch/host/job_words.h"
#include "launch/host/preload.h"

int main(int argc, char** argv) {
  heddle::launch::WordsJob words;
  if (argc < 1 || !words.read(argv + 1)) {
    std::fputs("heddle-host: mpiexec starts this program; it is not to be called by hand\n",
               stderr);
    return 2;
  }
  const heddle_job& job = words.job();
  if (const char* loaded = words.allocator()) {
    heddle::launch::forget_preload(loaded);
  } else if (const char* needed = heddle_host_allocator(&job)) {
    heddle::launch::begin_again_with(needed, argv);
  }
  return heddle_host_main(&job);
}
