// pauses.h — the pauses of a loop that looks at something again and again, because a wait in the
// kernel would block the worker.
//
// Thread safety: one object, one strand.

#pragma once

#include <time.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {

class Pauses {
 public:
  // Lets others run for a while, each time twice as long as before, up to 10 ms, or until a handler
  // of the program has run (kHandled, kRestarts). On a kernel thread it returns kNot without
  // waiting. A cancellation point. May switch.
  WaitEnd pause() {
    if (hooks() == nullptr) return WaitEnd::kNot;
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long deadline = now.tv_sec * 1'000'000'000LL + now.tv_nsec + length_;
    if (length_ < kLongest) length_ *= 2;
    return hooks()->sleep.until(deadline);
  }

  // Works on kernel threads, too, where any signal handler ends the pause. False: a handler has
  // run.
  [[nodiscard]] bool wait() {
    const timespec length = {0, static_cast<long>(length_)};
    const WaitEnd end = pause();
    if (end != WaitEnd::kNot) return end != WaitEnd::kHandled;
    return nanosleep(&length, nullptr) == 0;
  }

 private:
  static constexpr long long kLongest = 10'000'000;
  long long length_ = 50'000;  // in ns
};

}  // namespace heddle::process::of_rank
