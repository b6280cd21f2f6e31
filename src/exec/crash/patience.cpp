#include "exec/crash/patience.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "base/platform/signals.h"
#include "exec/process/state/output.h"

namespace heddle::crash {

namespace {

// Together two seconds. A process that was stopped gets one tick for all that time.
constexpr int kTicks = 8;
constexpr long kTickNs = 250'000'000;

// Used by the one thread that ends the process.
void (*when_late)() = nullptr;
std::uint64_t written_before = 0;
int ticks_without = 0;  // in a row, in which nothing was written
int timer = -1;

void on_tick(int) {
  const std::uint64_t written = process::Sink::written_where_watched();
  const bool late = written == written_before && ++ticks_without == kTicks;
  if (late || written != written_before) ticks_without = 0;
  written_before = written;
  if (late) when_late();
}

void unblock_here(int signal) noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  platform::change_mask_of_this_thread(SIG_UNBLOCK, only, nullptr);
}

}  // namespace

void limit_patience(void (*late)()) noexcept {
  process::Sink::watch();
  when_late = late;
  written_before = process::Sink::written_where_watched();
  ticks_without = 0;

  struct sigaction action = {};
  action.sa_handler = on_tick;
  // It comes again while `late` waits.
  action.sa_flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;
  sigaction(SIGALRM, &action, nullptr);
  unblock_here(SIGALRM);

  // The kernel's calls: a crash or Ctrl-C may have interrupted malloc, which libc's may use.
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = platform::kernel_thread_id();
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) return;
  const itimerspec every = {{0, kTickNs}, {0, kTickNs}};
  syscall(SYS_timer_settime, timer, 0, &every, nullptr);
}

void release_patience() noexcept {
  if (timer >= 0) syscall(SYS_timer_delete, timer);
  timer = -1;
}

}  // namespace heddle::crash
