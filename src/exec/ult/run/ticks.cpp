#include "exec/ult/run/ticks.h"

#include <utility>

#include "base/platform/signals.h"

namespace heddle::ult {

constinit std::atomic<bool> has_interrupt_handler{false};

namespace {

// The value of our signals is the address of one of these.
constinit char ours = 0;
constinit char requests = 0;
constinit char soon_ticks = 0;

// The worker's ticks, to be found while no ult's TLS block is installed.
thread_local constinit Ticks* ticks_of_thread = nullptr;

timespec time_of(std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {nanoseconds / kSecond, nanoseconds % kSecond};
}

}  // namespace

Reason reason_of(const siginfo_t& info) noexcept {
  if (platform::is_without_sender(info)) return Reason::kAskedAway;
  if (info.si_code != SI_TIMER && info.si_code != SI_QUEUE) return Reason::kProgram;
  const void* const value = info.si_value.sival_ptr;
  if (value == &requests) return Reason::kAskedAway;
  if (value == &soon_ticks) return Reason::kSoonTick;
  if (value == &ours) return info.si_code == SI_TIMER ? Reason::kTick : Reason::kNews;
  return Reason::kProgram;
}

void interrupt_worker(int kernel_thread) noexcept {
  platform::signal_thread(kernel_thread, kInterrupt, &ours);
}

void ask_to_go_away(int kernel_thread) noexcept {
  platform::signal_thread(kernel_thread, kInterrupt, &requests);
}

Ticks::Ticks(std::int64_t slice_ns) noexcept {
  if (slice_ns == 0) return;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kInterrupt;
  event.sigev_value.sival_ptr = &ours;
  event._sigev_un._tid = platform::kernel_thread_id();
  // Where there is no such clock (under valgrind), ults keep their worker for as long as they like.
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &ticks_) != 0) return;
  const itimerspec each = {time_of(slice_ns), time_of(slice_ns)};
  event.sigev_value.sival_ptr = &soon_ticks;
  runs_ = timer_create(CLOCK_MONOTONIC, &event, &soon_) == 0;
  ticks_of_thread = this;
  if (runs_ && timer_settime(ticks_, 0, &each, nullptr) == 0) return;
  timer_delete(ticks_);
  if (runs_) timer_delete(soon_);
  runs_ = false;
}

Ticks* Ticks::of_this_thread() noexcept {
  return ticks_of_thread;
}

Ticks::~Ticks() {
  ticks_of_thread = nullptr;
  if (!runs_) return;
  timer_delete(ticks_);
  timer_delete(soon_);
}

// A timer that has not come is not set anew: the kernel drops the signal of a timer that was set
// meanwhile, but has ended a call with EINTR for it, and no handler of the program runs for it.
void Ticks::tick_soon() noexcept {
  constexpr std::int64_t kSoon = 100'000;
  const itimerspec once = {{}, time_of(kSoon)};
  if (!runs_ || std::exchange(soon_is_set_, true)) return;
  timer_settime(soon_, 0, &once, nullptr);
}

}  // namespace heddle::ult
