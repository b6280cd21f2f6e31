// worker.h — a worker: what a kernel thread needs to run ults, and the switch from one to the next.
//
// There are two kinds, which differ in what happens when nothing is ready. A ThreadWorker
// (thread_worker.h) has a kernel thread, which spins and sleeps. The LentWorker (lent_worker.h)
// goes back to the thread that has lent itself. What a worker consists of:
//
//   run_queue.h   which ult is next                     meter.h      to which account the time goes
//   deadlines.h   which ults wait for a time            ticks.h      the signals that end a slice
//   inbox_item.h  what others tell it                   spin_time.h  how long it spins before it
//                                                                    sleeps
//
// A worker has no loop of its own that ults return to. A ult that stops running looks for the next
// one itself, on its own stack, and switches straight to it:
//
//   ult A parks ──► pick(): run queue, inbox, timers, pollers ── A itself? ──► go on, no switch
//                     │ nothing ready: idle()
//                     └── another ult B ──► enter(B), one switch; this call returns when A is
//                                           entered again
//
// The worker's own stack (its root) runs the same search when it has nothing to return to: at the
// start, and after a ult has finished, whose last switch always goes to the root. So does the
// switch of a ult that waits when the scheduler stops.
//
// Invariants
//   I1  At most one strand of a worker runs at a time: "its strands" below means no lock.
//   I2  Only the root touches a finished ult after its last switch until `finished` is set.
//   I3  Workers live as long as the process: a late waker may still look at one.
//
// Memory order
//   [R1] acq_rel in wake_from_afar and tell pairs with [A1] acq_rel in take_news: the ult sees what
//        was written before the wake-up; the next waker may push the node again (ult_record.h).
//        thaw_from_afar needs none: the inbox orders what was written before (base/inbox.h).
//   [R2] release pairs with [A2] acquire: a worker that leaves futex sleep sees the push.
//
// Thread safety: by section.

#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/inbox.h"
#include "base/platform/signals.h"
#include "exec/ult/completion.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/poller.h"
#include "exec/ult/run/awaited.h"
#include "exec/ult/run/deadlines.h"
#include "exec/ult/run/inbox_item.h"
#include "exec/ult/run/meter.h"
#include "exec/ult/run/run_queue.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/scheduler_options.h"
#include "exec/ult/switch/worker_thread.h"

namespace heddle::ult {

class ThreadWorker;
class Ticks;

class Worker {
 public:
  // See set_resume_hook(), scheduler.h.
  static void set_resume_hook(void (*resumed)(int worker)) noexcept;

  // Any thread.
  int number() const noexcept { return number_; }  // -1: the lent one
  // Null: the lent one, whose ults stay on the thread that runs them.
  virtual ThreadWorker* with_thread() noexcept = 0;
  int numa_node() const noexcept { return numa_node_; }
  int cpu() const noexcept { return cpu_; }  // -1: not bound
  // These tell the ult's worker, whichever that is.
  static void wake_from_afar(Ult& ult) noexcept;
  static void tell(Ult& ult, std::uint32_t news) noexcept;  // a bit of Ult::news
  // `frozen` is not in the inbox yet, and stays until its ults run.
  void thaw_from_afar(FrozenUlts& frozen) noexcept { put_into_inbox(frozen); }
  int load() const noexcept { return load_.load(std::memory_order_relaxed); }
  void add_load(int difference) noexcept { load_.fetch_add(difference, std::memory_order_relaxed); }
  void add_counters(SchedulerCounters& sum) const noexcept;
  std::uint64_t switches() const noexcept { return switches_.load(std::memory_order_relaxed); }
  int kernel_thread() const noexcept { return kernel_id_.load(std::memory_order_relaxed); }
  // The call of a ult that was away has returned: puts it into the worker's inbox.
  void take_home(Ult& ult) noexcept { put_into_inbox(ult.home); }

  // From now on each switch of each worker charges the ult that has run (processor_time.h), and is
  // told to the watch. Any thread.
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
  WaitEnd park_until(Ult& self, std::int64_t deadline_ns, Alerts alerts) noexcept;
  void sleep_until(Ult& self, std::int64_t deadline_ns) noexcept;
  bool yield(Ult& self) noexcept;  // false: no ult has run, and no poller had news
  // Does what yield() does. For loops that wait, most of which find nothing.
  bool relax(Ult& self) noexcept {
    if (has_something()) return yield(self);
    yield_alone(self);
    return false;
  }
  void yield_to_ready(Ult& self) noexcept;
  // Yields after a look at timers and pollers. Among ults that compute, the 64 switches between two
  // looks would take a second.
  void yield_after_look(Ult& self) noexcept {
    until_look_ = 1;
    yield(self);
  }
  [[noreturn]] void finish(Ult& self) noexcept;

  // Its strands. False: something else can run, or the strand is to get its next turn soon, because
  // it moves.
  bool may_spin(const Ult& self) const noexcept { return !has_ready() && !self.turn.moves; }
  // Requires may_spin(). Spins until what is awaited is there or something else can run. Returns
  // true if what is awaited is there.
  virtual bool spin_for(const Awaited& awaited) noexcept = 0;

  // Its strands: notes whether the ult that runs computes for long. If so, news for this worker
  // interrupts it (signal kInterrupt).
  void show_computing(bool computes) noexcept {
    turn_.computes = computes;
    awake_.store(computes ? kComputes : kAwake, std::memory_order_relaxed);
  }

  // Its strands: the calling ult goes away in a call, and the worker will be given to another
  // thread.
  void leave_in_call(Ult& self) noexcept;
  WorkerThread& thread() noexcept { return *thread_; }
  Ticks& ticks() noexcept { return *ticks_; }
  Meter& meter() noexcept { return meter_; }
  const Meter& meter() const noexcept { return meter_; }
  // A ult that has been resumed calls it, on any thread.
  void show_resumed() const noexcept;

  // Its strands, at a tick: true if `self` is to give way. It has run since the last tick; or it is
  // known to compute, and another ult waits. Else the ults that have yielded get turns
  // (run_queue.h).
  bool is_turn_over(const Ult& self) noexcept;
  // Its strands: true if no other ult has run since the last tick.
  bool has_kept_since_tick() const noexcept { return switches() == switches_at_tick_; }

  // Its strands: the signals that are blocked here outside of handlers.
  bool is_usual_mask(const sigset_t& mask) const noexcept {
    return std::memcmp(&mask, &usual_mask_, platform::kMaskBytes) == 0;
  }

  // Its strands: true if another ult is ready, so that spinning would keep it from running.
  bool has_ready() const noexcept { return !queue_.empty(); }
  // Its strands: true if the run queue holds ults of this worker that may run, each once (I2 of
  // ult_record.h).
  bool is_valid() const noexcept;
  // True if a ult is ready, or the inbox has news that may make one ready.
  bool has_waiting() const noexcept { return has_ready() || inbox_.has_news(); }

 protected:
  explicit Worker(int number) noexcept : number_(number), meter_(number) {}
  ~Worker() = default;  // I3

  // Nothing is ready. Returns a ult that has become so; null: the caller leaves to the root.
  virtual Ult* idle() noexcept = 0;
  // `self` yields, and nothing else is ready.
  virtual void yield_alone(Ult& self) noexcept = 0;
  // Something was put into the inbox, and awake_ is not kAwake. Any thread.
  virtual void interrupt(std::uint32_t awake) noexcept = 0;

  // The root: runs ults until pick() finds none. False: the thread comes back from a call of a ult
  // that was away.
  bool run_ults(WorkerThread& thread) noexcept;
  // False: yield() would find no ult, and nothing that could make one ready.
  bool has_something() const noexcept {
    return inbox_.has_news() || !queue_.empty() || !deadlines_.empty() || have_pollers();
  }
  // Looks at timers and pollers. True: as poll_all().
  bool look_outside(PollEffort effort) noexcept;
  void take_inbox() noexcept { take_nodes(inbox_.take_all()); }
  void take_nodes(InboxNode* node) noexcept;
  void put_into_inbox(InboxItem& item) noexcept;
  void leave_to_root(Ult& self) noexcept;
  void leave_to_move(Ult& self) noexcept;

  // There is one writer, one of its strands; counters() reads it.
  static void count(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Constant while running.
  const int number_;
  int cpu_ = -1;
  int numa_node_ = 0;  // 0 also where it is not bound

  // Its strands.
  WorkerThread* thread_ = nullptr;  // that runs it
  Ticks* ticks_ = nullptr;          // of that thread
  Meter meter_;                     // of that thread
  RunQueue queue_;
  Deadlines deadlines_;
  Turn turn_;  // of the ult that runs; it never `moves`
  bool stopping_ = false;
  sigset_t usual_mask_{};
  std::atomic<int> kernel_id_{0};  // of the kernel thread that runs it; read by any thread

  // Written by other workers; own cache lines.
  Inbox inbox_;
  // kAsleep: in the kernel, on this word; kAtBell: there, on the word of the host's bell. Others:
  // lent_worker.h.
  static constexpr std::uint32_t kAsleep = 0, kAwake = 1, kComputes = 2, kAtBell = 3;
  alignas(64) std::atomic<std::uint32_t> awake_{kAwake};

 private:
  // Every so many switches a busy worker looks at its timers and pollers.
  static constexpr int kSwitchesPerLook = 64;

  Ult* pick() noexcept;
  Ult* pick_at_once() noexcept;
  void leave_to_another(Ult& self) noexcept;
  void leave_parked(Ult& self) noexcept;
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
  void take_from_inbox(InboxItem& item) noexcept;
  void take_news(Ult& ult) noexcept;
  void take_rare_news(Ult& ult, std::uint32_t news) noexcept;

  // Its strands.
  int until_look_ = kSwitchesPerLook;
  Ult* finished_ = nullptr;  // for the root, see I2
  Ult* leaving_ = nullptr;   // for the root: it has popped itself, and moves
  std::uint64_t switches_at_tick_ = 0;
  InboxItem turn_item_{ItemKind::kTurn};
  std::atomic<bool> has_turn_item_{false};  // in the inbox

  // Read by any thread.
  std::atomic<std::uint64_t> switches_{0};
  std::atomic<std::uint64_t> remote_wakes_{0};
  std::atomic<std::uint64_t> moves_{0};  // away from here
  std::atomic<int> load_{0};
};

}  // namespace heddle::ult
