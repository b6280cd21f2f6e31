// own_sleep.h — a kernel thread that looks by itself whether it sleeps for good, where no worker and so no call monitor runs (lend.h).
//
//   kernel thread   waits in MPI (NotedWait), and sleeps at the host's bell for a while, without a timer or with one that only asks
//   the same one    calls the judge, a few times. It stays asleep for others, and handles nothing meanwhile
//
// So what the judge sees stays true until the bell rings. If the timer of a wait that asks ends the sleep, that counts as a ring of the
// bell, before anything else that the thread does. A thread that finds its bell rung has not slept for good, whatever it judged.
//
// Cost: two stores where a kernel thread waits in MPI; the first look comes after 30 ms asleep.
//
// Thread safety: set_sleep_judge() before any thread waits; the rest the thread that sleeps.

#pragma once

#include <cstdint>

#include "exec/ult/wait_note.h"

namespace heddle::ult {

struct OwnSleep {
  const WaitNote& note;
  std::uint64_t rings;     // as rings_before_sleep()
  std::uint64_t steps;     // of this thread
  std::uint64_t answered;  // NotedCounts::answered
};

// nullptr, as at the start: none.
void set_sleep_judge(void (*judge)(const OwnSleep& sleep) noexcept) noexcept;

bool may_judge_own_sleep(bool has_timer) noexcept;
// Only then. `rings`: of the bell, when the thread announced itself.
void judge_own_sleep(std::uint32_t rings) noexcept;

}  // namespace heddle::ult
