// pauses.h — between two looks at something that the kernel cannot tell of without blocking the worker.
//
// Thread safety: one object, one strand.

#pragma once

#include <time.h>

#include "exec/libc/of_rank/hosted.h"

namespace heddle::libc_of_rank {

class Pauses {
 public:
  // Lets others run for a while, each time twice as long as before, up to 10 ms. False, at once: the
  // caller must wait by itself, because it is a kernel thread. A cancellation point. May switch.
  bool pause() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long deadline = now.tv_sec * 1'000'000'000LL + now.tv_nsec + length_;
    if (length_ < kLongest) length_ *= 2;
    return hooks() != nullptr && hooks()->sleep_until(deadline) != 0;
  }

  // The same for a kernel thread, too.
  void wait() {
    const timespec length = {0, static_cast<long>(length_)};
    if (!pause()) nanosleep(&length, nullptr);
  }

 private:
  static constexpr long long kLongest = 10'000'000;
  long long length_ = 50'000;  // in ns
};

}  // namespace heddle::libc_of_rank
