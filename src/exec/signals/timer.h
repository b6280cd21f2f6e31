// timer.h — a timer of a rank, which the courier watches. It sends SIGALRM.
//
// Thread safety: `rank` is constant; the courier's lock guards the rest.

#pragma once

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/futex.h"

namespace heddle::signals {

class RankSignals;

struct Timer : ListNode<> {
  explicit Timer(RankSignals& of) noexcept : rank(of) {}

  RankSignals& rank;

  bool listed = false;                          // the courier knows it
  std::int64_t deadline_ns = platform::kNever;  // on CLOCK_MONOTONIC
  std::int64_t interval_ns = 0;                 // 0: once
};

}  // namespace heddle::signals
