// pauses.h — the pauses of a loop that looks at something again and again, because a wait in the
// kernel would block the worker.
//
// Thread safety: one object, one strand.

#pragma once

#include <time.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {

enum class Paused {
  kNot,          // the caller must wait by itself, because it is a kernel thread
  kRested,       // others have run
  kInterrupted,  // a signal handler installed without SA_RESTART has run: EINTR
};

class Pauses {
 public:
  // Lets others run for a while, each time twice as long as before, up to 10 ms. On a kernel thread
  // it returns kNot without waiting. A cancellation point. May switch.
  Paused pause() {
    if (hooks() == nullptr) return Paused::kNot;
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long deadline = now.tv_sec * 1'000'000'000LL + now.tv_nsec + length_;
    if (length_ < kLongest) length_ *= 2;
    constexpr int kNot = 0, kHandled = 2;  // sleep/hooks.h
    const int slept = hooks()->sleep.until(deadline);
    return slept == kNot       ? Paused::kNot
           : slept == kHandled ? Paused::kInterrupted
                               : Paused::kRested;
  }

  // Works on kernel threads, too, where any signal handler ends the pause. False: a handler has
  // run.
  [[nodiscard]] bool wait() {
    const timespec length = {0, static_cast<long>(length_)};
    const Paused paused = pause();
    if (paused != Paused::kNot) return paused == Paused::kRested;
    return nanosleep(&length, nullptr) == 0;
  }

 private:
  static constexpr long long kLongest = 10'000'000;
  long long length_ = 50'000;  // in ns
};

}  // namespace heddle::process::of_rank
