// start_bound.h — the start of a job that another launcher has started has a bound. Until the watch
// over its hosts stands, nothing tells of a part of the job that is missing or cut off: launchers
// wait for it.
//
//   this process                                   the bound
//   ---------------------------------------------  ----------------------------------------------
//   asks the launcher who the others are           kHostsCome or kProgramsCome from the beginning
//   fence: all have come                           kWireUp from there
//   watch, transports, fence, ways to all          ~StartBound(): the job has started
//
// They are multiples of the longest silence of a host (HEDDLE_LONGEST_SILENCE). A thread waits
// meanwhile; when the time is over it ends the process and tells the launcher.
//
// Thread safety: one thread.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/ways/watch/watch.h"

namespace heddle::runtime {

enum class Silences : int {
  kHostsCome = 3,      // hosts come as soon as they are started
  kProgramsCome = 60,  // ranks that are processes come when the program calls MPI_Init
  kWireUp = 3,
};

class StartBound {
 public:
  StartBound(Silences most, watch::Ender end);
  ~StartBound();
  StartBound(StartBound&&) = delete;

  // All processes of the job have come, so many. From now on another bound holds.
  void all_have_come(int processes) noexcept;

 private:
  static void* run(void* self) noexcept;
  void wait() noexcept;
  void set(std::int64_t seconds) noexcept;

  const watch::Ender end_;
  std::int64_t seconds_ = 0;
  std::atomic<std::int64_t> deadline_ns_{0};
  std::atomic<bool> come_{false};
  std::atomic<std::uint32_t> over_{0};
  pthread_t thread_ = {};
  bool runs_ = false;
};

// The name that the machine gives itself.
std::string name_of_node();

}  // namespace heddle::runtime
