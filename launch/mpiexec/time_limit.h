// time_limit.h — the end of the time that --timeout gives a job of several processes: what they
// say, and what the kernel says of those that say nothing (src/runtime/judge/time_limit.h).
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "launch/mpiexec/command_line.h"
#include "runtime/job_board/job_page.h"

namespace heddle::launch {

class TimeLimit {
 public:
  // CommandLine::longest_s; 0: none. The page's processes see the same end.
  TimeLimit(const CommandLine& line, runtime::JobPage& page);

  // How long mpiexec may wait for other news, in milliseconds; -1: any time.
  int pause_ms() const;

  // True when the time is over and the processes have had time to answer. `processes`: 0 where one
  // has ended.
  bool is_over(std::span<const pid_t> processes) const;
  // Then: the sentence, and a line for each rank. `name_of` a process: "rank 3".
  std::string report(std::span<const pid_t> processes,
                     const std::function<std::string(int)>& name_of) const;

 private:
  const int seconds_;
  const int answer_s_;  // how long they may take to say where they are
  runtime::JobPage& page_;
};

}  // namespace heddle::launch
