#include "exec/process/signals/created_timers.h"

#include <algorithm>
#include <new>

#include "exec/process/signals/processor_timers.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/time/processor_time.h"

namespace heddle::process::signals {

namespace {

siginfo_t sends(const sigevent* event) noexcept {
  siginfo_t info = {};
  info.si_signo = event != nullptr ? event->sigev_signo : SIGALRM;
  info.si_code = SI_TIMER;
  if (event != nullptr) info.si_value = event->sigev_value;
  return info;
}

}  // namespace

bool CreatedTimer::is_on_processor_time() const noexcept {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

std::int64_t CreatedTimer::now() const noexcept {
  if (clock == CLOCK_PROCESS_CPUTIME_ID) return process::processor_time_of_rank();
  if (clock == CLOCK_THREAD_CPUTIME_ID) return process::processor_time_of_strand();
  timespec time = {};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Timer::Times CreatedTimer::set(Timer::Times times) {
  return is_on_processor_time() ? ProcessorTimers::instance().set(timer, times)
                                : SignalThread::instance().set(timer, times);
}

Timer::Times CreatedTimer::get() {
  return is_on_processor_time() ? ProcessorTimers::instance().get(timer)
                                : SignalThread::instance().get(timer);
}

void CreatedTimer::forget() {
  is_on_processor_time() ? ProcessorTimers::instance().forget(timer)
                         : SignalThread::instance().forget(timer);
}

bool CreatedTimers::makes(clockid_t clock, const sigevent* event) noexcept {
  if (event != nullptr &&
      (!is_valid(event->sigev_signo) ||
       (event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_THREAD_ID))) {
    return false;
  }
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_BOOTTIME:
      return true;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return process::processor_time_of_rank() >= 0 && process::processor_time_of_strand() >= 0;
    default:
      return false;
  }
}

CreatedTimer* CreatedTimers::make(clockid_t clock, const sigevent* event) {
  std::unique_ptr<CreatedTimer> made(
      new (std::nothrow) CreatedTimer{Timer(*strand_signals().rank, sends(event)), clock});
  if (made == nullptr) return nullptr;
  if (clock == CLOCK_THREAD_CPUTIME_ID) made->timer.strand = &strand_signals();
  if (event == nullptr) made->timer.info.si_value.sival_ptr = made.get();
  CreatedTimer* const timer = made.get();
  const MutexGuard lock(mutex_);
  timers_.push_back(std::move(made));
  return timer;
}

CreatedTimer* CreatedTimers::find(timer_t name) noexcept {
  const MutexGuard lock(mutex_);
  for (const auto& timer : timers_) {
    if (timer.get() == name) return timer.get();
  }
  return nullptr;
}

void CreatedTimers::remove(CreatedTimer& timer) {
  timer.forget();
  const MutexGuard lock(mutex_);
  std::erase_if(timers_, [&](const auto& other) { return other.get() == &timer; });
}

}  // namespace heddle::process::signals
