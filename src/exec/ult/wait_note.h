// wait_note.h — what a strand says that it waits for: for reports, and for the proof of deadlock
// (stillness.h, own_sleep.h).
//
// Thread safety: constant while it is noted.

#pragma once

#include <string>

namespace heddle::ult {

enum class WaitReason {
  kMpi,      // in a function of MPI
  kThreads,  // for other threads of its rank: a lock, a condition, an end
  kNoTask,   // it has nothing to do, and holds nothing up
};

// On the stack of the one that waits.
struct WaitNote {
  const char* call;  // the function
  // Says what must happen for it to go on; called when the proof is complete.
  std::string (*what)(const void* subject);
  const void* subject;
  WaitReason reason = WaitReason::kMpi;
};

}  // namespace heddle::ult
