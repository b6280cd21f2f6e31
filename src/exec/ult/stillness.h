// stillness.h — a moment at which no worker ran and no ult was about to: the scheduler's half of a
// proof of deadlock (the other half, and what is not proven: runtime/judge/deadlock.h).
//
//   ult            notes what it waits for (NotedWait) before it parks or freezes, and takes that
//                  away afterwards
//   worker         sleeps for good: its inbox says `asleep`, it has no timer but of waits that ask;
//                  what comes from outside is the judge's business [Q1]
//   kernel thread  that waits for ults, as for the end of ranks: it polls, or sleeps for good
//                  after a last look (wait/kernel_strand.h)
//   call monitor   all workers sleep: calls the judge, a few times and when it asks for it, before
//                  it sleeps itself (preempt/call_monitor.cpp)
//   judge          Stillness before;  look at notes, counts, kernel threads;  before.holds()?  then
//                  all of it was true at once
//
// Why there is such a moment: a worker counts a sleep before it shows `for good` [Q1], and takes
// that back before it runs. A worker that has run between the two looks shows another count, or is
// not asleep for good, or its inbox is not `asleep`. A wake-up that is on the way to a sleeping
// worker is in its inbox, which then does not say `asleep`. So between the last look of the first
// pass and the first one of the second no worker ran, and no ult was ready. Nor did a kernel thread
// poll, by the same two looks: it may have a transport's lock, so that a worker's last look finds
// nothing, and packets in its hands.
//
// What a NotedWait surrounds must wait for ults of this process alone: no descriptor, no handler,
// no code of the program.
//
// A wait that asks (AskingWait) has a timer, and asks the one that it waits for whether it waits in
// vain. If it does, the wait ends. What is asked depends on ults alone that run, and not on what
// waits or comes meanwhile. So the timer itself ends nothing, and:
//
//   all stand still at T1   the question gets the next number
//   each wait that asks     has read that number, asked then, and was told no
//   all stand still at T2   and no ult has taken a step since T1: none has begun a wait or ended,
//                           so each is in the wait of T1
//
// What was asked was the same from T1 to T2. It stays so, and no later asking will have another
// answer.
//
// Cost: three stores where a ult parks, none where it does not. Without slices there is no call
// monitor, and no judge is called.
//
// Thread safety: NotedWait its ult; the rest the judge, on the call monitor's thread, which waits
// for no lock of libc.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "exec/ult/wait_note.h"

namespace heddle::ult {

class Ult;
struct Watch;

// The watch hears of it, too (watch.h). A wait inside of a wait is noted in its place until it
// ends; the watch hears of the outer one only.
class NotedWait {
 public:
  explicit NotedWait(
      const WaitNote& note) noexcept;  // a kernel thread's is for itself alone (own_sleep.h)
  ~NotedWait();
  NotedWait(NotedWait&&) = delete;

 private:
  const WaitNote note_;
  Ult* const self_;
  const WaitNote* const outer_;
  const Watch* const watch_;
};

// A NotedWait with a timer that does no more than ask.
class AskingWait {
 public:
  explicit AskingWait(const WaitNote& note) noexcept;
  ~AskingWait();
  AskingWait(AskingWait&&) = delete;

  // The number of the question; the wait reads it before it asks.
  static std::uint64_t question() noexcept;
  // It has asked after it had read that number, and was told that it may not wait in vain.
  void note_answer(std::uint64_t question) noexcept;

 private:
  const NotedWait noted_;
  Ult* const self_;
  const std::uint64_t outer_answered_;  // of the wait in which a handler of a signal makes this one
};

// Where the number of the question is, which grows. It stays; before start().
void set_question(const std::atomic<std::uint64_t>& question) noexcept;

// Code of the program that runs inside of a wait: a handler of a signal. Take and give back what
// the calling ult has noted; null: nothing, or a kernel thread.
const WaitNote* take_note() noexcept;
void give_back_note(const WaitNote* note) noexcept;

// Null: it is in no such wait. The note itself may be read only when the proof is complete.
const WaitNote* note_of(const Ult& ult) noexcept;

// All ults that are in such a wait, and those of them that wait for other threads. Between the two
// looks of a Stillness; it says something only if the second one holds, since a ult that runs may
// change its note meanwhile.
struct NotedCounts {
  int all = 0;
  int for_threads = 0;
  std::uint64_t steps =
      0;  // of all ults that have ever been: equal numbers say that none has taken one
  std::uint64_t answered =
      kNothingIsAsked;  // the last question in which each wait that asks was answered

  static constexpr std::uint64_t kNothingIsAsked = ~std::uint64_t{0};
};
NotedCounts count_noted() noexcept;
// All ults that count_noted() counts. To be called when the proof is complete.
std::vector<Ult*> noted_ults();

// True if there is no lent worker (lend.h), or each of its ults is in a NotedWait and none is
// ready. Adds to the steps of ults, and takes the earlier of `*answered` and theirs. What its
// timers are for, its stand-in says (own_sleep.h).
bool lent_ults_stand_still(std::uint64_t* steps, std::uint64_t* answered) noexcept;

class Stillness {
 public:
  Stillness() noexcept;                        // the first look
  bool holds() const noexcept;                 // the second one
  int ults() const noexcept { return ults_; }  // that have not ended, of all workers
  // A kernel thread was on its way to its sleep, which wakes no call monitor.
  bool waits_for_kernel_thread() const noexcept { return kernel_thread_is_awake_; }

 private:
  static constexpr std::size_t kMostWorkers = 1024;  // no memory is taken here

  bool holds_ = false;
  bool kernel_thread_is_awake_ = false;
  int ults_ = 0;
  std::size_t workers_ = 0;
  std::uint64_t kernel_threads_sleeps_ = 0;
  std::array<std::uint64_t, kMostWorkers> sleeps_;
};

// Called before start(). nullptr, as at the start: there is no judge. The judge returns when it
// must look once more, though nothing may have changed by then; kNever: it need not.
void set_stillness_judge(std::int64_t (*judge)() noexcept) noexcept;
// The call monitor calls this. Calls the judge and returns what it returns.
std::int64_t judge_stillness() noexcept;
// Any thread: the call monitor calls the judge again soon, if all workers sleep. The judge sees
// what the caller wrote before, seq_cst.
void call_judge() noexcept;

}  // namespace heddle::ult
