#include "exec/process/signals/signal_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/mutex.h"
#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "exec/crash/crash.h"
#include "exec/process/signals/kernel_actions.h"
#include "exec/process/signals/nudge.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/alert.h"
#include "exec/ult/ult.h"

namespace heddle::process::signals {

namespace {
constexpr std::int64_t kUntilNextNudge = 1'000'000;
constinit char given_back = 0;  // the value of what is given back is its address
}  // namespace

SignalThread& SignalThread::instance() noexcept {
  static SignalThread* const made = new SignalThread();
  return *made;
}

void SignalThread::add(RankSignals& rank) {
  const MutexGuard lock(mutex_);
  ranks_.push_back(&rank);
}

void SignalThread::remove(RankSignals& rank) {
  const MutexGuard lock(mutex_);
  ranks_.erase(std::remove(ranks_.begin(), ranks_.end(), &rank), ranks_.end());
  for (auto it = timers_.begin(); it != timers_.end();) {
    Timer& timer = *it;
    ++it;
    if (&timer.rank != &rank) continue;
    IntrusiveList<Timer>::erase(timer);
    timer.listed = false;
  }
}

void SignalThread::expect(Mask signals) noexcept {
  const Mask before = expected_.fetch_or(signals, std::memory_order_relaxed);
  start();
  // By itself this makes nothing pending. libgfortran sets actions for ten signals in each rank,
  // and a signal thread that is called looks at all ranks.
  if (signals == 0 || (signals & ~before) != 0) ring();
}

bool SignalThread::pass_on(const siginfo_t& info) noexcept {
  const Mask it = bit(info.si_signo);
  if ((expected_.load(std::memory_order_relaxed) & it) == 0) return false;
  outside_infos_[place_of(info.si_signo)] = info;
  outside_.fetch_or(it, std::memory_order_release);  // with the exchange in bring_from_outside
  ring();
  return true;
}

void SignalThread::ring() noexcept {
  bell_.fetch_add(1, std::memory_order_release);
  platform::futex_wake_one(bell_);
}

void SignalThread::start() {
  const MutexGuard lock(mutex_);
  if (runs_) return;
  runs_ = platform::start_detached_own_thread({"heddle-signals", thread_main, this}) == 0;
  if (runs_) platform::count_own_thread(1);
}

void SignalThread::look() {
  start();
  ring();
}

void* SignalThread::thread_main(void* self) {
  static_cast<SignalThread*>(self)->run();
  return nullptr;
}

void SignalThread::run() {
  for (;;) {
    const std::uint32_t rung = bell_.load(std::memory_order_acquire);
    const std::int64_t until = round();
    platform::futex_wait(bell_, rung, until);
  }
}

std::int64_t SignalThread::round() {
  const MutexGuard lock(mutex_);
  const std::int64_t now = platform::now_ns();
  std::int64_t until = platform::kNever;
  bring_from_outside();
  for (Timer& timer : timers_) {
    if (timer.deadline_ns <= now) fire(timer, now);
    until = std::min(until, timer.deadline_ns);
  }
  for (RankSignals* rank : ranks_) {
    if (nudge(*rank)) until = std::min(until, now + kUntilNextNudge);
  }
  return until;
}

void SignalThread::fire(Timer& timer, std::int64_t now) {
  timer.expire(now, (timer.rank.pending.all() & bit(timer.info.si_signo)) != 0);
  timer.rank.accept(timer.info);
}

void SignalThread::bring_from_outside() {
  const Mask signals = outside_.exchange(0, std::memory_order_acquire);
  for (int signal = 1; signal <= kSignals; ++signal) {
    if ((signals & bit(signal)) == 0) continue;
    bool taken = ranks_.empty();  // their last signals came too late, as at the end of a process
    for (RankSignals* rank : ranks_) {
      if (!rank->takes(signal)) continue;
      taken = true;
      rank->accept(outside_infos_[place_of(signal)]);
    }
    if (!taken) give_back(signal);
  }
}

// What was set for the process before then holds.
void SignalThread::give_back(int signal) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;  // and no sender: it is no strand's own
  info.si_value.sival_ptr = &given_back;
  if (syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info) == 0) return;
  // The kernel can queue no more.
  if (default_of(signal) == Default::kEnd && !was_ignored(signal)) {
    crash::end_by_default(signal, -1);
  }
}

bool SignalThread::is_given_back(const siginfo_t& info) noexcept {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == &given_back;
}

// True: it has something that it does not block, and will have to be nudged again.
bool SignalThread::nudge(RankSignals& rank) {
  if (rank.main.ult == nullptr) return false;
  const int signal = rank.pending.first(~rank.main.signals->blocked);
  if (signal == 0) return false;
  const int thread = ult::kernel_thread_of(*rank.main.ult);
  if (thread != 0) {
    signals::nudge(thread, signal);
  } else {
    ult::alert(*rank.main.ult);  // it waits, or is about to run
  }
  return true;
}

Timer::Times SignalThread::set(Timer& timer, Timer::Times times) {
  if (times.left_ns != 0)
    any_timer_armed.store(true, std::memory_order_relaxed);  // as for handlers
  Timer::Times before{};
  {
    const MutexGuard lock(mutex_);
    const std::int64_t now = platform::now_ns();
    before = timer.times(now);
    timer.set(times, now);
    if (!timer.listed) timers_.push_back(timer);
    timer.listed = true;
  }
  look();
  return before;
}

Timer::Times SignalThread::get(const Timer& timer) {
  const MutexGuard lock(mutex_);
  return timer.times(platform::now_ns());
}

void SignalThread::forget(Timer& timer) {
  const MutexGuard lock(mutex_);
  if (timer.listed) IntrusiveList<Timer>::erase(timer);
  timer.listed = false;
}

void SignalThread::forget_all() noexcept {
  new (&mutex_) Mutex();
  runs_ = false;
  ranks_.clear();
}

}  // namespace heddle::process::signals
