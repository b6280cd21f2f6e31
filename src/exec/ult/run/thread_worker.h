// thread_worker.h — a worker with a kernel thread of its own, as the scheduler starts them: what it
// does when nothing is ready.
//
//   idle: look everywhere, help with others' work, spin (spin_time.h) ── something is ready: run it
//           │ for long enough
//           └──► listed as a sleeper (sleepers.h), one more look, asleep in the kernel or at the
//                host's bell
//
// It is usually the same thread for all of the worker's life. When a ult goes away in a call, a
// spare thread takes the worker up (worker_thread.h).
//
// Memory order: [R2] and [A2] of worker.h.
// Thread safety: by section.

#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/platform/bell.h"
#include "exec/ult/idle/sleepers.h"
#include "exec/ult/run/away_request.h"
#include "exec/ult/run/spin_time.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

class ThreadWorker final : public Worker, public ThreadTask {
 public:
  explicit ThreadWorker(int number) noexcept : Worker(number) {}

  // start() and stop() of the scheduler. Errno, 0 on success.
  int launch(int cpu, const SchedulerOptions& options, std::span<const WorkerHooks> hooks) noexcept;
  void retire() noexcept;

  // Called by a kernel thread that was given this worker. Returns true when the worker stops.
  // Returns false when the thread comes back from a system call in which a ult went away; another
  // thread runs the worker then.
  bool run_on(WorkerThread& thread) noexcept override;
  // Called after run_on has returned true: lets retire() return.
  void tell_stopped() noexcept override;

  // Any thread.
  ThreadWorker* with_thread() noexcept override { return this; }
  void add_counters(SchedulerCounters& sum) const noexcept;
  AwayRequest& away_request() noexcept { return away_request_; }
  // True while it sleeps in the kernel because it has nothing to run.
  bool sleeps() const noexcept { return sleeps_.load(std::memory_order_seq_cst); }
  // True if it sleeps until it gets news or has to ask, and none has come; `*count` says which
  // sleep that is. In this order (stillness.h): a thread that sees a later `asleep` or `for good`
  // sees the count of that sleep, too.
  bool sleeps_for_good(std::uint64_t* count) const noexcept {
    if (!inbox_.is_asleep() || !for_good_.load(std::memory_order_acquire)) return false;
    *count = kernel_sleeps_.load(std::memory_order_relaxed);
    return true;
  }

  // Its strands.
  bool spin_for(const Awaited& awaited) noexcept override;
  // Called when one of its ults goes on outside, and is likely to be back soon.
  void expect_back(std::int64_t now_ns) noexcept { spin_.expect_back(now_ns); }

 private:
  // Turns of an idle loop between looks at the clock.
  static constexpr int kTurnsPerLook = 8;
  // Parts of others' work between looks at timers and pollers.
  static constexpr int kPartsPerLook = 8;

  // The worker as a sleeper (sleepers.h).
  struct Alarm final : Sleeper {
    explicit Alarm(ThreadWorker& of) noexcept : worker(of) {}
    void rouse() noexcept override { worker.put_into_inbox(look_item); }
    bool may_help(int numa_node) const noexcept override { return worker.numa_node_ == numa_node; }
    ThreadWorker& worker;
    InboxItem look_item{ItemKind::kLook};  // in the inbox at most once for a sleep
  };

  Ult* idle() noexcept override;
  void yield_alone(Ult& self) noexcept override;
  void interrupt(std::uint32_t awake) noexcept override;
  void take_up(WorkerThread& thread) noexcept;
  bool idle_turns() noexcept;
  bool look(PollEffort effort) noexcept;
  void help(const Awaited* awaited) noexcept;
  void sleep() noexcept;
  void sleep_in_kernel(platform::Bell* bell, std::uint32_t rings) noexcept;

  // Constant while running.
  std::int64_t slice_ns_ = 0;
  std::span<const WorkerHooks> hooks_;

  // Its strands.
  SpinTime spin_;
  bool owes_nudge_ = false;  // idle/bell_place.h
  InboxItem stop_item_{ItemKind::kStop};
  Alarm alarm_{*this};

  // Read by any thread.
  std::atomic<std::uint64_t> kernel_sleeps_{0};
  std::atomic<std::uint32_t> started_{0};
  std::atomic<std::uint32_t> stopped_{0};
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> for_good_{false};  // until it gets news, or has to ask; stillness.h [Q1]
  AwayRequest away_request_;
};

}  // namespace heddle::ult
