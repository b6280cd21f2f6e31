// wait_note.h — what a strand says that it waits for: for reports, and for the proof of deadlock
// (stillness.h, own_sleep.h).
//
// Thread safety: constant while it is noted.

#pragma once

#include <string>

namespace heddle::ult {

// On the stack of the one that waits.
struct WaitNote {
  const char* call;  // the function
  std::string (*what)(
      const void*
          subject);  // says what must happen for it to go on; called when the proof is complete
  const void* subject;
  enum class Kind {
    kMpi,      // in a function of MPI
    kThreads,  // for other threads of its rank: a lock, a condition, an end
    kNoTask,   // it has nothing to do, and holds nothing up
  } kind = Kind::kMpi;
};

}  // namespace heddle::ult
