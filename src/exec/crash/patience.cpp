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

constexpr time_t kSeconds = 2;

// Used by the one thread that ends the process.
void (*when_late)() = nullptr;
std::uint64_t written_before = 0;
int timer = -1;

void on_tick(int) {
  const std::uint64_t written = process::Sink::written_where_watched();
  if (written == written_before) when_late();
  written_before = written;
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
  const itimerspec every = {{kSeconds, 0}, {kSeconds, 0}};
  syscall(SYS_timer_settime, timer, 0, &every, nullptr);
}

void release_patience() noexcept {
  if (timer >= 0) syscall(SYS_timer_delete, timer);
  timer = -1;
}

}  // namespace heddle::crash
