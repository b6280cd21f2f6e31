// timer.h — a timer of a rank, which the courier watches.
//
// Thread safety: constant, except for the courier's part, which the courier's lock guards.

#pragma once

#include <signal.h>

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/futex.h"

namespace heddle::signals {

class RankSignals;

struct Timer : ListNode<> {
  explicit Timer(RankSignals& of, int signal_number = SIGALRM) noexcept
      : rank(of), signal(signal_number) {}

  RankSignals& rank;
  const int signal;  // 0: none (SIGEV_NONE)
  int code = SI_KERNEL;
  sigval value{};

  // The courier's. On CLOCK_MONOTONIC.
  bool listed = false;
  std::int64_t deadline_ns = platform::kNever;
  std::int64_t interval_ns = 0;  // 0: once
  int overrun = 0;
};

}  // namespace heddle::signals
