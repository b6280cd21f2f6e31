// lent_worker.h — the worker without a thread of its own (lend.h): what the threads that have it in
// turn, and the stand-in, do with it.
//
// A thread has it while wait/lending.h says so, runs ults until none is ready, and leaves it. A
// push into its inbox is then found by the next thread that looks, or calls the stand-in, if that
// has left one of its words (wait/stand_in.h):
//
//   awake_                   a push
//   -----------------------  ------------------------------------------------------------
//   kAwake                   calls no one: a thread has the worker, or the stand-in watches
//   kAttended, kUnwatched    wakes the stand-in, once
//
// Thread safety: by section.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/run/worker.h"

namespace heddle::ult {

class LentWorker final : public Worker {
 public:
  static constexpr std::uint32_t kAttended = 4, kUnwatched = 5;

  LentWorker() noexcept : Worker(-1) {}

  // The thread that has it: runs ults until none is ready.
  void run(WorkerThread& thread) noexcept;
  // From now on, each push calls the stand-in, and so does a deadline before `deadline_ns`. False:
  // there is something to run, and nothing has changed.
  bool leave_unwatched(std::uint32_t word, std::int64_t* deadline_ns) noexcept;
  // No deadline ends a wait but of those that ask.
  bool timers_only_ask() const noexcept { return deadlines_.only_ask(); }

  // The stand-in.
  void set_stand_in(Strand& stand_in) noexcept {
    stand_in_.store(&stand_in, std::memory_order_release);
  }
  void show_watched() noexcept { awake_.store(kAwake, std::memory_order_relaxed); }

  // Any thread. Wakes the stand-in if it has left the worker with this word.
  void call_stand_in(std::uint32_t word) noexcept;
  void end_stand_in() noexcept { stand_in_.load(std::memory_order_acquire)->wake(); }
  // True if there is something to run now. has_due_timer: or to wake, which is left to the
  // stand-in.
  bool wants_a_thread() const noexcept {
    return inbox_.has_news() || left_ready_.load(std::memory_order_relaxed);
  }
  bool has_due_timer() const noexcept;
  ThreadWorker* with_thread() noexcept override { return nullptr; }

  // Its strands. The thread that has lent itself spins, and looks for more.
  bool spin_for(const Awaited&) noexcept override { return false; }

 private:
  Ult* idle() noexcept override { return nullptr; }
  void yield_alone(Ult& self) noexcept override;
  void interrupt(std::uint32_t awake) noexcept override { call_stand_in(awake); }

  // The thread that has it.
  std::int64_t stand_in_deadline_ = platform::kNever;  // the stand-in wakes up then at the latest

  // Written by the thread that has it; read by any thread.
  std::atomic<bool> left_ready_{false};
  std::atomic<std::int64_t> left_deadline_{platform::kNever};
  std::atomic<Strand*> stand_in_{nullptr};
};

}  // namespace heddle::ult
