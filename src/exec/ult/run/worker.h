// worker.h — a worker: what a kernel thread needs to run ults, and the choice of the next one. It is usually the same
// thread for all of a worker's life (worker_thread.h).
//
// A worker has no loop of its own that ults return to. A ult that stops running looks for the next one
// itself, on its own stack, and switches straight to it:
//
//   ult A parks ──► pick(): run queue, inbox, timers, pollers ── A itself? ──► go on, no switch
//                     │ nothing ready: spin, then sleep in the kernel
//                     └── another ult B ──► enter(B), one switch; this call returns when A is entered again
//
// The worker's own stack (its root) runs the same search when it has nothing to return to: at the
// start, and after a ult has finished, whose last switch always goes to the root. So does the switch
// of a ult that waits when the scheduler stops.
//
// Invariants
//   I1  At most one strand of a worker runs at a time: "its strands" below means no lock.
//   I2  Only the root touches a finished ult after its last switch until `finished` is set.
//   I3  Workers live as long as the process: a late waker may still look at one.
//
// Memory order
//   [R1] acq_rel in wake_from_afar and tell pairs with [A1] acq_rel in take_news: the ult sees what was
//        written before the wake-up; the next waker may push the node again (ult_record.h).
//        thaw_from_afar needs none of its own: the inbox orders what was written before (base/inbox.h).
//   [R2] release pairs with [A2] acquire: a worker that leaves futex sleep sees the push.
//
// Thread safety: by section.

#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/inbox.h"
#include "base/platform/bell.h"
#include "base/platform/signals.h"
#include "exec/ult/completion.h"
#include "exec/ult/idle/sleepers.h"
#include "exec/ult/poller.h"
#include "exec/ult/run/awaited.h"
#include "exec/ult/run/away_request.h"
#include "exec/ult/run/inbox_item.h"
#include "exec/ult/run/meter.h"
#include "exec/ult/run/run_queue.h"
#include "exec/ult/run/timer_heap.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/scheduler_options.h"
#include "exec/ult/switch/worker_thread.h"

namespace heddle::ult {

class Ticks;

class Worker final : public ThreadTask {
 public:
  explicit Worker(int number) noexcept : number_(number), meter_(number) {}
  // The one without a thread (lend.h).
  struct Lent {};
  explicit Worker(Lent) noexcept : number_(-1), is_lent_(true), meter_(-1) {}

  // See set_resume_hook(), scheduler.h.
  static void set_resume_hook(void (*resumed)(int worker)) noexcept;

  // start() and stop() of the scheduler. Errno, 0 on success.
  int launch(int cpu, const SchedulerOptions& options, std::span<const WorkerHooks> hooks) noexcept;
  void retire() noexcept;

  // Any thread.
  int number() const noexcept { return number_; }  // -1: the lent one
  bool is_lent() const noexcept { return is_lent_; }
  int numa_node() const noexcept { return numa_node_; }
  int cpu() const noexcept { return cpu_; }  // -1: not bound
  // The ult's worker, whichever that is, is told.
  static void wake_from_afar(Ult& ult) noexcept;
  static void tell(Ult& ult, std::uint32_t news) noexcept;  // a bit of Ult::news
  // `frozen` is not in the inbox yet, and stays until its ults run.
  void thaw_from_afar(FrozenUlts& frozen) noexcept { put_into_inbox(frozen); }
  int load() const noexcept { return load_.load(std::memory_order_relaxed); }
  void add_load(int difference) noexcept { load_.fetch_add(difference, std::memory_order_relaxed); }
  void add_counters(SchedulerCounters& sum) const noexcept;
  std::uint64_t switches() const noexcept { return switches_.load(std::memory_order_relaxed); }
  int kernel_thread() const noexcept { return kernel_id_.load(std::memory_order_relaxed); }
  // True while it sleeps in the kernel because it has nothing to run.
  bool sleeps() const noexcept { return sleeps_.load(std::memory_order_seq_cst); }
  AwayRequest& away_request() noexcept { return away_request_; }
  // The call of a ult that was away has returned: puts it into the worker's inbox.
  void take_home(Ult& ult) noexcept { put_into_inbox(ult.home); }

  // Called by a kernel thread that was given this worker. Returns true when the worker stops. Returns false when the
  // thread comes back from a system call in which a ult went away; another thread runs the worker then.
  bool run_on(WorkerThread& thread) noexcept override;
  // After run_on has returned true: lets retire() return.
  void tell_stopped() noexcept override;

  // The lent worker. By the thread that has it (wait/deputy.h): runs ults until none is ready.
  void run_lent(WorkerThread& thread) noexcept;
  // The same: from now on, each push calls the deputy, and so does a deadline before `deadline_ns`. False: there is something to
  // run, and nothing has changed.
  bool leave_unwatched(std::uint32_t word, std::int64_t* deadline_ns) noexcept;
  // By the deputy.
  void set_deputy(Strand& deputy) noexcept { deputy_.store(&deputy, std::memory_order_release); }
  void show_watched() noexcept { awake_.store(kAwake, std::memory_order_relaxed); }
  // Any thread. Wakes the deputy if it has left the worker with this word.
  void call_deputy(std::uint32_t word) noexcept;
  void end_deputy() noexcept { deputy_.load(std::memory_order_acquire)->wake(); }
  // No timer ends a wait but of those that ask. By the thread that has the worker.
  bool timers_only_ask() const noexcept { return timers_armed_ == timers_that_ask_; }
  // True if there is something to run now; has_due_timer: or to wake, which is left to the deputy.
  bool wants_a_thread() const noexcept {
    return inbox_.has_news() || left_ready_.load(std::memory_order_relaxed);
  }
  bool has_due_timer() const noexcept;
  static constexpr std::uint32_t kAttended = 4, kUnwatched = 5;

  // From now on each switch of each worker charges the ult that has run (processor_time.h), and is told to the watch. Any
  // thread.
  static void attend_each_switch() noexcept;

  // Its strands. All but wake_here and thaw_here may switch.
  void wake_here(Ult& ult) noexcept;
  void thaw_here(FrozenUlts& frozen) noexcept {
    ++frozen.thaws;
    queue_.push_woken(frozen.ults);
  }
  // Returns after `among` was thawed, or false for an alert: then `self` is not in the list, but
  // counted in `among.answering` until the caller takes it out.
  bool freeze(Ult& self, FrozenUlts& among) noexcept;
  void park(Ult& self) noexcept;
  bool park_unless_alerted(Ult& self) noexcept;  // false: alerted; no wake-up was absorbed
  Strand::Parked park_until(Ult& self, std::int64_t deadline_ns, Strand::Alerts alerts) noexcept;
  void sleep_until(Ult& self, std::int64_t deadline_ns) noexcept;
  void yield(Ult& self) noexcept;
  void yield_to_ready(Ult& self) noexcept;
  // As yield, after a look at timers and pollers. Among ults that compute, the 64 switches between two looks would
  // take a second.
  void yield_after_look(Ult& self) noexcept {
    until_look_ = 1;
    yield(self);
  }
  [[noreturn]] void finish(Ult& self) noexcept;

  // Its strands. False: something else can run, or the strand is to get its next turn soon, because it moves.
  bool may_spin(const Ult& self) const noexcept { return !has_ready() && !self.turn.moves; }
  // The same, if it may: spins until what is awaited is there, which is the result, or something else can run.
  bool spin_for(const Awaited& awaited) noexcept;

  // Its strands: notes whether the ult that runs computes for long. If so, news for this worker interrupts it
  // (signal kInterrupt).
  void show_computing(bool computes) noexcept {
    turn_.computes = computes;
    awake_.store(computes ? kComputes : kAwake, std::memory_order_relaxed);
  }

  // Its strands: the calling ult goes away in a call, and the worker will be given to another thread.
  void leave_in_call(Ult& self) noexcept;
  // Its strands: one of them goes on outside, on this core perhaps, and is likely to be back soon.
  void expect_back(std::int64_t now_ns) noexcept { left_ns_ = now_ns; }
  WorkerThread& thread() noexcept { return *thread_; }
  Ticks& ticks() noexcept { return *ticks_; }
  Meter& meter() noexcept { return meter_; }
  const Meter& meter() const noexcept { return meter_; }
  // To be called by a ult that has been resumed, on any thread.
  void show_resumed() const noexcept;

  // Its strands, at a tick: true if `self` is to give way. It has run since the last tick; or it is known to compute, and
  // another ult waits. Else the ults that have yielded get turns (run_queue.h).
  bool is_turn_over(const Ult& self) noexcept;
  // Its strands: true if no other ult has run since the last tick.
  bool has_kept_since_tick() const noexcept { return switches() == switches_at_tick_; }

  // Its strands: the signals that are blocked here outside of handlers.
  bool is_usual_mask(const sigset_t& mask) const noexcept {
    return std::memcmp(&mask, &usual_mask_, platform::kMaskBytes) == 0;
  }

  // Its strands: true if another ult is ready, so that spinning would keep it from running.
  bool has_ready() const noexcept { return !queue_.empty(); }
  // Its strands: true if the run queue holds ults of this worker that may run, each once (I2 of ult_record.h).
  bool is_valid() const noexcept;
  // True if a ult is ready, or the inbox has news that may make one ready.
  bool has_waiting() const noexcept { return has_ready() || inbox_.has_news(); }

  // Any thread: true if it sleeps until it gets news or has to ask, and none has come; `*count` says which sleep that is. In this order
  // (stillness.h): a thread that sees a later `asleep` or `for good` sees the count of that sleep, too.
  bool sleeps_for_good(std::uint64_t* count) const noexcept {
    if (!inbox_.is_asleep() || !for_good_.load(std::memory_order_acquire)) return false;
    *count = kernel_sleeps_.load(std::memory_order_relaxed);
    return true;
  }

 private:
  // Every so many switches a busy worker looks at its timers and pollers.
  static constexpr int kSwitchesPerLook = 64;
  // Turns of an idle loop between looks at the clock.
  static constexpr int kTurnsPerLook = 8;
  // Parts of others' work between looks at timers and pollers.
  static constexpr int kPartsPerLook = 8;

  // The worker as a sleeper (sleepers.h).
  struct Alarm final : Sleeper {
    explicit Alarm(Worker& of) noexcept : worker(of) {}
    void rouse() noexcept override { worker.put_into_inbox(look_item); }
    bool may_help(int numa_node) const noexcept override { return worker.numa_node_ == numa_node; }
    Worker& worker;
    InboxItem look_item{InboxItem::Kind::kLook};  // in the inbox at most once for a sleep
  };

  void take_up(WorkerThread& thread) noexcept;
  bool run_ults(WorkerThread& thread) noexcept;

  Ult* pick() noexcept;
  Ult* pick_at_once() noexcept;
  Ult* idle() noexcept;
  bool idle_turns() noexcept;
  void help(const Awaited* awaited) noexcept;
  bool spun_enough() noexcept;
  void sleep() noexcept;
  void adapt_spin(std::int64_t slept_ns) noexcept;
  void leave_to_another(Ult& self) noexcept;
  void leave_parked(Ult& self) noexcept;
  void leave_to_root(Ult& self) noexcept;
  void leave_to_move(Ult& self) noexcept;
  void go_on_here(Ult& self) noexcept;
  void enter(Ult& self, Ult& next) noexcept;
  void enter_unusual(Ult& self, Ult& next) noexcept;
  bool prepare_unusual(Ult& next) noexcept;
  void enter_from_root(Ult& next) noexcept;
  void switch_to(Context& from, Ult& next) noexcept;
  static void resume(Ult& self) noexcept;
  bool send(Ult& ult) noexcept;
  void yield_to(Ult& self, Ult& next) noexcept;
  void make_ready(Ult& ult) noexcept;
  void take_inbox() noexcept { take_nodes(inbox_.take_all()); }
  void take_nodes(InboxNode* node) noexcept;
  void take_from_inbox(InboxItem& item) noexcept;
  void take_news(Ult& ult) noexcept;
  void take_rare_news(Ult& ult, std::uint32_t news) noexcept;
  void put_into_inbox(InboxItem& item) noexcept;
  void interrupt(std::uint32_t awake) noexcept;
  bool look_outside(PollEffort effort) noexcept;  // true: as poll_all()
  void sleep_in_kernel(platform::Bell* bell, std::uint32_t rings) noexcept;
  void arm(Ult& ult, std::int64_t deadline_ns) noexcept;
  void forget_timer(Ult& ult) noexcept;

  // One writer, its strands; read by counters().
  static void count(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Constant while running.
  const int number_;
  const bool is_lent_ = false;
  int cpu_ = -1;
  int numa_node_ = 0;  // 0 also where it is not bound
  std::int64_t usual_spin_ns_ = 0;
  std::int64_t slice_ns_ = 0;
  std::span<const WorkerHooks> hooks_;

  // Its strands.
  WorkerThread* thread_ = nullptr;  // that runs it
  Ticks* ticks_ = nullptr;          // of that thread
  Meter meter_;                     // likewise
  RunQueue queue_;
  std::int64_t deputy_deadline_ =
      platform::kNever;  // of the lent worker: the deputy wakes up then at the latest
  int until_look_ = kSwitchesPerLook;
  TimerHeap timers_;
  int timers_that_ask_ = 0;  // of them: they end no wait by themselves (stillness.h)
  int timers_armed_ = 0;
  Ult* finished_ = nullptr;         // for the root, see I2
  Ult* leaving_ = nullptr;          // for the root: it has popped itself, and moves
  std::int64_t idle_since_ns_ = 0;  // 0: not idle
  std::int64_t left_ns_ = 0;        // when one was last expected back
  std::int64_t spin_ns_ = 0;        // adapted to how long it sleeps
  std::uint64_t switches_at_tick_ = 0;
  Turn turn_;  // of the ult that runs; it never `moves`
  bool stopping_ = false;
  bool owes_nudge_ = false;  // idle/bell_place.h
  sigset_t usual_mask_{};
  InboxItem stop_item_{InboxItem::Kind::kStop};
  InboxItem turn_item_{InboxItem::Kind::kTurn};

  // Read by any thread.
  std::atomic<std::uint64_t> switches_{0};
  std::atomic<std::uint64_t> kernel_sleeps_{0};
  std::atomic<std::uint64_t> remote_wakes_{0};
  std::atomic<std::uint64_t> moves_{0};  // away from here
  std::atomic<std::uint32_t> started_{0};
  std::atomic<std::uint32_t> stopped_{0};
  std::atomic<int> kernel_id_{0};  // of the kernel thread that runs it
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> has_turn_item_{false};  // in the inbox
  std::atomic<bool> for_good_{false};       // until it gets news, or has to ask; stillness.h [Q1]
  std::atomic<int> load_{0};
  Alarm alarm_{*this};
  // Of the lent worker: written by the thread that has it.
  std::atomic<bool> left_ready_{false};
  std::atomic<std::int64_t> left_deadline_{platform::kNever};
  std::atomic<Strand*> deputy_{nullptr};
  AwayRequest away_request_;

  // Written by other workers; own cache lines.
  Inbox inbox_;
  static constexpr std::uint32_t kAsleep = 0, kAwake = 1, kComputes = 2, kAtBell = 3;
  // kAsleep: in the kernel, on this word; kAtBell: there, on the word of the host's bell. kAttended and kUnwatched: as the deputy
  // has left the lent worker.
  alignas(64) std::atomic<std::uint32_t> awake_{kAwake};
};

}  // namespace heddle::ult
