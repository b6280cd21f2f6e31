// own_sleep.h — kernel threads that look by themselves whether they sleep for good, where no worker
// and so no call monitor runs (lend.h).
//
//   kernel thread   waits for something of NotedWait, says that it sleeps for good (SleepForGood),
//                   and sleeps: at the host's bell, at its own word, or in libc. Without a timer,
//                   or at the bell with one that only asks
//   the same one    calls the judge, a few times (Looks). It stays asleep for others, and handles
//                   nothing meanwhile
//
// So what the judge sees stays true until another thread of the process runs, or the bell rings. If
// the timer of a wait that asks ends the sleep, that counts as a ring of the bell, before anything
// else that the thread does. A thread that finds its bell rung has not slept for good, whatever it
// judged.
//
// Cost: a kernel thread that goes to sleep in MPI is listed under a lock and struck off it; the
// first look comes after 30 ms asleep.
//
// Thread safety: set_sleep_judge() before any thread waits; for_each_sleeper() any thread; the rest
// the thread that sleeps.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "exec/ult/wait_note.h"

namespace heddle::ult {

// A thread that looks.
struct OwnSleep {
  bool (*has_ended)(void* sleep);  // true: what it waits for has come, and the judge says no
  void* sleep;
};

// nullptr, as at the start: none.
void set_sleep_judge(void (*judge)(const OwnSleep& sleep) noexcept) noexcept;
bool has_sleep_judge() noexcept;

bool may_judge_own_sleep(bool has_timer) noexcept;
// Call it only then, and in a SleepForGood.
void judge_own_sleep(bool (*has_ended)(void*), void* sleep) noexcept;

// While the calling thread sleeps for good in its NotedWait, looks included.
class SleepForGood {
 public:
  SleepForGood() noexcept;
  ~SleepForGood();
  SleepForGood(SleepForGood&&) = delete;
};

// Called before the stack of a thread is unwound that was cancelled in its wait: the destructors of
// its NotedWait do not run.
void forget_own_wait() noexcept;

// The judge is called once more at that time, however long a sleep is. Before any thread waits.
void judge_also_at(std::int64_t ns) noexcept;

// When a thread that sleeps looks next.
class Looks {
 public:
  Looks() noexcept;
  std::int64_t next_ns() const noexcept { return next_ns_; }
  // Called after the thread has looked at `now`.
  void go_on(std::int64_t now) noexcept;
  // Takes the place of go_on() in a sleep that no ring ends: the thread looks as long as it sleeps.
  void go_on_for_ever(std::int64_t now) noexcept;

 private:
  std::int64_t pause_ns_ = 30'000'000;
  std::int64_t next_ns_;
  int looks_ = 0;
};

// All threads of the process that are in a SleepForGood. Two looks that agree say that each has
// stayed in the same wait; whether it was asleep there meanwhile, the kernel says
// (base/platform/foreign.h).
struct Sleepers {
  int all = 0;
  std::uint64_t steps = 0;
  std::uint64_t answered;  // NotedCounts::answered

  bool operator==(const Sleepers&) const = default;
};
Sleepers count_sleepers() noexcept;

// What each of them waits for, when the proof is complete.
struct SleeperLine {
  pid_t thread;
  std::string words;  // empty: it has nothing to do
};
void for_each_sleeper(void (*visit)(const SleeperLine& line, void* context), void* context);

}  // namespace heddle::ult
