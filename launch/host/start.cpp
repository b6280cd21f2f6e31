#include "launch/host/start.h"

#include <cstdio>

#include "launch/host/job_words.h"
#include "launch/host/preload.h"

namespace heddle::launch {

int start(int argc, char** argv, int (*run)(const heddle_job* job)) {
  WordsJob words;
  if (argc < 1 || !words.read(argv + 1)) {
    std::fputs("heddle-host: mpiexec starts this program; it is not to be called by hand\n",
               stderr);
    return 2;
  }
  const heddle_job& job = words.job();
  if (const char* loaded = words.allocator()) {
    forget_preload(loaded);
  } else if (const char* needed = heddle_host_allocator(&job)) {
    begin_again_with(needed, argv);
  }
  return run(&job);
}

}  // namespace heddle::launch
