#include "exec/ult/run/thread_worker.h"

#include <utility>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/platform/futex.h"
#include "base/platform/signals.h"
#include "base/platform/topology.h"
#include "base/standing.h"
#include "exec/ult/idle/bell_place.h"
#include "exec/ult/idle/help.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/run/monitor_sleep.h"
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/ticks.h"

namespace heddle::ult {

namespace {
// While it lives, the worker's time goes to no account, and the watch takes it for idle.
class IdleTime {
 public:
  IdleTime(Meter& meter, int worker) noexcept
      : meter_(metering() ? &meter : nullptr), watch_(watch()), worker_(worker) {
    if (meter_ != nullptr) meter_->turn_to(nullptr);
    if (watch_ != nullptr) watch_->idles(worker_, true);
  }
  ~IdleTime() {
    if (watch_ != nullptr) watch_->idles(worker_, false);
    if (meter_ != nullptr) meter_->turn_to(current_account());
  }
  IdleTime(IdleTime&&) = delete;

 private:
  Meter* const meter_;
  const Watch* const watch_;
  const int worker_;
};
}  // namespace

int ThreadWorker::launch(int cpu, const SchedulerOptions& options,
                         std::span<const WorkerHooks> hooks) noexcept {
  cpu_ = cpu;
  numa_node_ = cpu >= 0 ? platform::numa_node_of(cpu) : 0;
  spin_.start(options.spin_ns);
  slice_ns_ = options.slice_ns;
  hooks_ = hooks;
  stopping_ = false;
  platform::signal_mask_of_this_thread(&usual_mask_);
  started_.store(0, std::memory_order_relaxed);
  stopped_.store(0, std::memory_order_relaxed);
  int error = 0;
  WorkerThread* const thread = WorkerThread::take(&error);
  if (thread == nullptr) return error;
  thread->give(*this);
  while (started_.load(std::memory_order_acquire) == 0) platform::futex_wait(started_, 0);
  return 0;
}

void ThreadWorker::retire() noexcept {
  put_into_inbox(stop_item_);
  while (stopped_.load(std::memory_order_acquire) == 0) platform::futex_wait(stopped_, 0);
}

void ThreadWorker::tell_stopped() noexcept {
  stopped_.store(1, std::memory_order_release);
  platform::futex_wake_one(stopped_);
}

void ThreadWorker::take_up(WorkerThread& thread) noexcept {
  thread_ = &thread;
  meter_.forget();
  if (cpu_ >= 0) platform::bind_this_thread(cpu_);
  kernel_id_.store(platform::kernel_thread_id(), std::memory_order_relaxed);
  for (const WorkerHooks& hooks : hooks_) {
    if (hooks.started != nullptr) hooks.started(number_);
  }
  platform::change_mask_of_this_thread(SIG_SETMASK, usual_mask_, nullptr);
  if (started_.exchange(1, std::memory_order_release) == 0) platform::futex_wake_one(started_);
}

bool ThreadWorker::run_on(WorkerThread& thread) noexcept {
  const std::span<const WorkerHooks> all_hooks = hooks_;
  take_up(thread);
  Ticks own_ticks(slice_ns_);
  ticks_ = &own_ticks;
  const bool stops = run_ults(thread);
  // The worker may be another thread's by now, even one of the next scheduler's. Only its number is
  // constant.
  for (const WorkerHooks& hooks : all_hooks) {
    if (hooks.stopping != nullptr) hooks.stopping(number_);
  }
  return stops;
}

Ult* ThreadWorker::idle() noexcept {
  const IdleTime idle_time(meter_, number_);
  if (turn_.computes) show_computing(false);
  while (!idle_turns()) {
    if (stopping_) return nullptr;
    if (spin_.is_over(platform::now_ns())) sleep();
  }
  if (std::exchange(owes_nudge_, false)) nudge();
  spin_.begin_anew();
  return queue_.pop();
}

// True as soon as something is ready.
bool ThreadWorker::idle_turns() noexcept {
  look(PollEffort::kIdle);
  if (help_is_wanted()) help(nullptr);
  for (int turn = 0; turn < kTurnsPerLook; ++turn) {
    take_inbox();
    if (!queue_.empty()) return true;
    platform::cpu_relax();
  }
  return false;
}

void ThreadWorker::yield_alone(Ult& self) noexcept {
  if (stopping_) [[unlikely]] {
    self.state = State::kReady;
    queue_.push_yielded(self);
    leave_to_root(self);
  } else if (self.turn.moves) [[unlikely]] {
    leave_to_move(self);
  }
}

// One signal is enough until the worker asks for the next one.
void ThreadWorker::interrupt(std::uint32_t awake) noexcept {
  if (awake == kComputes &&
      awake_.compare_exchange_strong(awake, kAwake, std::memory_order_relaxed)) {
    interrupt_worker(kernel_thread());
  }
}

bool ThreadWorker::spin_for(const Awaited& awaited) noexcept {
  // A ult that moved meanwhile would go on with the inbox of the worker that it had.
  const Within<Standing::kSection> section;
  const IdleTime idle_time(meter_, number_);
  Ult& self = *Ult::current_;
  if (turn_.computes) {  // it waits
    self.turn.computes = false;
    show_computing(false);
  }
  do {
    take_inbox();
    look(PollEffort::kIdle);
    if (help_is_wanted()) help(&awaited);
    for (int turn = 0; turn < kTurnsPerLook; ++turn) {
      if (awaited.is_there()) {
        spin_.begin_anew();
        return true;
      }
      take_inbox();
      if (!queue_.empty()) {
        spin_.begin_anew();
        return false;
      }
      platform::cpu_relax();
    }
  } while (!self.alerted.load(std::memory_order_relaxed) && !self.turn.moves &&
           !spin_.is_over(platform::now_ns()));
  return false;
}

// Helps until there is news for this worker, or for the strand that spins here, if one does.
void ThreadWorker::help(const Awaited* awaited) noexcept {
  const auto has_news = [&] {
    return !queue_.empty() || inbox_.has_news() || (awaited != nullptr && awaited->is_there());
  };
  if (has_news()) return;
  Help help(numa_node_);
  for (int parts = 0; parts < kPartsPerLook && help.do_part(); ++parts) {
    spin_.begin_anew();
    if (has_news()) return;
  }
}

bool ThreadWorker::look(PollEffort effort) noexcept {
  const bool progress = look_outside(effort);
  if (progress) spin_.begin_anew();
  return progress;
}

void ThreadWorker::sleep() noexcept {
  platform::Bell* bell = nullptr;
  {
    ListedSleeper sleeper(alarm_, true);
    bell = take_bell();
    const std::uint32_t rings = bell != nullptr ? bell->begin() : 0;
    // The last look may find something, or make one of our ults ready.
    const bool stays_awake = look(PollEffort::kThorough) || help_is_wanted_by_now(numa_node_);
    if (!stays_awake && queue_.empty()) sleep_in_kernel(bell, rings);
    if (bell != nullptr) bell->end();
    owes_nudge_ = sleeper.leave() && bell == nullptr && host_bell() != nullptr;
  }
  if (bell != nullptr) give_bell_back();
}

// Sleeps until there is news in the inbox, a timer is due, or the bell has rung since `rings`.
void ThreadWorker::sleep_in_kernel(platform::Bell* bell, std::uint32_t rings) noexcept {
  const std::uint32_t asleep = bell != nullptr ? kAtBell : kAsleep;
  awake_.store(asleep,
               std::memory_order_relaxed);  // ordered before the push by try_sleep's release
  if (!inbox_.try_sleep()) return;
  count(kernel_sleeps_);
  sleeps_.store(true, std::memory_order_relaxed);
  const std::int64_t began = platform::now_ns();
  std::int64_t deadline = deadlines_.first();
  if (bell != nullptr) note_rings_before_sleep(rings);
  const bool for_good = deadlines_.only_ask();
  for_good_.store(for_good, std::memory_order_release);       // [Q1]
  while (awake_.load(std::memory_order_acquire) == asleep) {  // [A2]
    if (bell != nullptr) {
      bell->sleep(rings, deadline);
    } else {
      platform::futex_wait(awake_, kAsleep, deadline);
    }
    const bool has_rung = bell != nullptr && bell->has_rung(rings);
    if (!has_rung && platform::now_ns() < deadline) continue;
    // Other processes are to see that this one goes on (runtime/judge/deadlock_between.h).
    if (!has_rung && for_good && host_bell() != nullptr) host_bell()->ring_for_itself();
    if (inbox_.cancel_sleep()) break;
    deadline = platform::kNever;  // a push came first and its wake-up is on the way
    if (bell != nullptr) rings = bell->begin();
  }
  if (bell != nullptr) forget_rings_before_sleep();
  for_good_.store(false, std::memory_order_relaxed);  // before the next try_sleep, which releases
  sleeps_.store(false, std::memory_order_seq_cst);    // [S3], monitor_sleep.h
  worker_left_sleep();
  spin_.slept(platform::now_ns() - began);
}

void ThreadWorker::add_counters(SchedulerCounters& sum) const noexcept {
  Worker::add_counters(sum);
  sum.kernel_sleeps += kernel_sleeps_.load(std::memory_order_relaxed);
}

}  // namespace heddle::ult
