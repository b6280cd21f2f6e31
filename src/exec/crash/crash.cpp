#include "exec/crash/crash.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/platform/child_processes.h"
#include "base/platform/memory.h"
#include "base/platform/signals.h"
#include "exec/crash/frames.h"
#include "exec/crash/patience.h"
#include "exec/crash/symbols.h"
#include "exec/libc/output.h"
#include "exec/libc/streams.h"
#include "exec/rank/rank.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/shared_work.h"
#include "exec/ult/ult.h"

namespace heddle::crash {

namespace {

// libdw needs most of it; the kernel gives pages only where it is used.
constexpr std::size_t kSignalStack = 512 << 10;
constexpr unsigned kSecondsForNames = 10;

struct Named {
  int signal;
  const char* name;
  const char* meaning;
};
constexpr Named kCrashes[] = {
    {SIGSEGV, "SIGSEGV", "segmentation fault"},
    {SIGBUS, "SIGBUS", "bus error"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
    {SIGABRT, "SIGABRT", "abort() was called"},
    {SIGTRAP, "SIGTRAP", "trap"},
    {SIGSYS, "SIGSYS", "forbidden system call"},
    {SIGPIPE, "SIGPIPE", "wrote to a pipe or socket that has no reader"},
    {SIGXFSZ, "SIGXFSZ", "wrote more to a file than ulimit -f allows"},
};
constexpr Named kRequests[] = {
    {SIGINT, "SIGINT", "interrupted"},
    {SIGTERM, "SIGTERM", "asked to end"},
    {SIGQUIT, "SIGQUIT", "asked to quit"},
    {SIGXCPU, "SIGXCPU", "the processor time that ulimit -t allows is used up"},
};

std::atomic<bool> reporting{false};
std::atomic<int> reported_signal{0};
ucontext_t* reported_context = nullptr;  // of the thread that reports

void emit(const char* text, int size) noexcept {
  libc::Sink::of(STDERR_FILENO).emit_in_crash(text, static_cast<std::size_t>(size));
}

[[noreturn]] void end_by(int signal) noexcept {
  platform::end_children();
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  // The kernel's mask of this thread; libc's pthread_sigmask would do, but a ult's thread
  // descriptor is not the kernel thread's.
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &only, nullptr, 8);
  platform::signal_thread(platform::kernel_thread_id(), signal);
  _exit(128 + signal);
}

[[noreturn]] void end_by_reported() noexcept {
  end_by(reported_signal.load(std::memory_order_relaxed));
}

// The search for names took too long, or they are not read.
void on_alarm(int) {
  end_by_reported();
}

bool overflowed_stack(const siginfo_t& info) noexcept {
  const ult::Ult* self = ult::current();
  if (self == nullptr || (info.si_signo != SIGSEGV && info.si_signo != SIGBUS)) return false;
  const auto low = reinterpret_cast<std::uintptr_t>(ult::stack_of(*self).low);
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return address < low + 64 && address + platform::kStackGuard >= low;
}

void say_what(const Named& crash, const siginfo_t& info) noexcept {
  char line[512];
  int length = 0;
  const auto add = [&](const char* format, auto... values) {
    const int room = static_cast<int>(sizeof line) - length;
    const int added =
        std::snprintf(line + length, static_cast<std::size_t>(room), format, values...);
    length += added < room ? added : room - 1;
  };
  if (const Rank* rank = Rank::current()) {
    add("rank %d", rank->number());
    if (Rank::current_thread != 0) add(", thread %d", Rank::current_thread);
    add(" crashed: ");
  } else {
    add("the program crashed outside of every rank: ");
  }
  add("%s (%s)", crash.meaning, crash.name);
  // Only the kernel's own, si_code above 0, has an address; raise() and kill() have none.
  if (crash.signal != SIGABRT && crash.signal != SIGPIPE && info.si_code > 0) {
    add(crash.signal == SIGSEGV || crash.signal == SIGBUS ? " at address 0x%lx"
                                                          : " in code at 0x%lx",
        reinterpret_cast<std::uintptr_t>(info.si_addr));
  }
  if (const char* call = Rank::current_call) add(", inside %s", call);
  if (overflowed_stack(info)) {
    add("; its stack of %zu KiB overflowed", ult::stack_of(*ult::current()).bytes >> 10);
  }
  add("\n");
  emit(line, length);
}

void say_where(ucontext_t& context) {
  Frames frames;
  find_frames(context, &frames);
  const Symbols symbols(frames.at + frames.first, frames.count - frames.first);
  std::string text;
  for (int i = frames.first; i < frames.count; ++i) {
    if (i == frames.exact)
      text += "  The stack is damaged. Return addresses on it, some may be old:\n";
    const Symbol symbol = symbols.find(frames.at[i]);
    char line[512];
    char times[32] = "";
    if (frames.times[i] > 1) std::snprintf(times, sizeof times, " (%d times)", frames.times[i]);
    std::snprintf(line, sizeof line, "  0x%016lx  %-24s  %s%s\n", frames.at[i],
                  symbol.function.empty() ? "?" : symbol.function.c_str(), symbol.place.c_str(),
                  times);
    text += line;
    if (symbol.function == "main" || symbol.function == "main.cold") break;
  }
  emit(text.data(), static_cast<int>(text.size()));
}

const Named& named(int signal) noexcept {
  for (const Named& crash : kCrashes) {
    if (crash.signal == signal) return crash;
  }
  return kCrashes[0];
}

// Everything after the first line; also if the output of ranks was given up.
[[noreturn]] void finish_report() {
  release_patience();
  struct sigaction late = {};
  late.sa_handler = on_alarm;
  sigaction(SIGALRM, &late, nullptr);
  alarm(kSecondsForNames);

  say_where(*reported_context);
  static const char end[] = "The job ends: all its ranks share one process.\n";
  emit(end, sizeof end - 1);
  end_by_reported();
}

// The job's own reader is gone (mpiexec … | head): it ends without a word, as programs do.
bool readers_are_gone() noexcept {
  pollfd places[] = {{STDOUT_FILENO, POLLOUT, 0}, {STDERR_FILENO, POLLOUT, 0}};
  return poll(places, 2, 0) > 0 && ((places[0].revents | places[1].revents) & POLLERR) != 0;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  ult::give_part_back(*info, static_cast<const ucontext_t*>(context)->uc_sigmask);
  if (reporting.exchange(true, std::memory_order_relaxed)) {
    for (;;) pause();  // another thread crashed first and ends the process
  }
  reported_signal.store(signal, std::memory_order_relaxed);
  if (signal == SIGPIPE && readers_are_gone()) end_by_reported();
  reported_context = static_cast<ucontext_t*>(context);
  limit_patience(finish_report);
  say_what(named(signal), *info);
  libc::flush_in_crash();
  finish_report();
}

void on_request(int signal) {
  if (reporting.exchange(true, std::memory_order_relaxed)) return;
  reported_signal.store(signal, std::memory_order_relaxed);
  limit_patience(end_by_reported);
  for (const Named& request : kRequests) {
    if (request.signal != signal) continue;
    char line[96];
    const int length = std::snprintf(line, sizeof line, "mpiexec: %s (%s), the job ends\n",
                                     request.meaning, request.name);
    emit(line, length);
  }
  end_by_reported();
}

// A child of fork ends alone, as any process does.
void take_back() noexcept {
  const auto take = [](const Named& named) {
    struct sigaction present = {};
    sigaction(named.signal, nullptr, &present);
    if (present.sa_sigaction != on_crash && present.sa_handler != on_request) return;
    present = {};
    present.sa_handler = SIG_DFL;
    sigaction(named.signal, &present, nullptr);
  };
  for (const Named& crash : kCrashes) take(crash);
  for (const Named& asked : kRequests) take(asked);
}

// A signal that the process ignored at its start (nohup) stays ignored.
void take_over(const Named& named, const struct sigaction& action) noexcept {
  struct sigaction previous = {};
  sigaction(named.signal, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) sigaction(named.signal, &action, nullptr);
}

}  // namespace

void install() noexcept {
  [[maybe_unused]] static const int in_children = pthread_atfork(nullptr, nullptr, take_back);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  // A second crash, in the report, ends the process by itself: its signal is blocked.
  sigdelset(&action.sa_mask, SIGALRM);
  for (const Named& crash : kCrashes) take_over(crash, action);

  struct sigaction request = {};
  request.sa_handler = on_request;
  request.sa_flags = SA_ONSTACK | SA_RESTART;
  for (const Named& asked : kRequests) take_over(asked, request);

  ult::add_worker_hooks({[](int) { prepare_thread(); }, [](int) { release_thread(); }});
}

void end_by_default(int signal) noexcept {
  if (reporting.exchange(true, std::memory_order_relaxed)) {
    for (;;) pause();  // another thread ends the process
  }
  reported_signal.store(signal, std::memory_order_relaxed);
  limit_patience(end_by_reported);
  char line[128];
  const char* const name = sigabbrev_np(signal);
  const char* const meaning = sigdescr_np(signal);
  const int length =
      std::snprintf(line, sizeof line,
                    "mpiexec: SIG%s (%s) came to a rank without a handler for it, the job ends\n",
                    name != nullptr ? name : "?", meaning != nullptr ? meaning : "signal");
  emit(line, length);
  libc::flush_in_crash();
  end_by_reported();
}

void prepare_thread() noexcept {
  void* memory = mmap(nullptr, kSignalStack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack = {memory, 0, kSignalStack};
  if (sigaltstack(&stack, nullptr) != 0) munmap(memory, kSignalStack);
}

void release_thread() noexcept {
  stack_t previous = {};
  const stack_t none = {nullptr, SS_DISABLE, 0};
  if (sigaltstack(&none, &previous) != 0) return;
  if ((previous.ss_flags & SS_DISABLE) == 0 && previous.ss_size == kSignalStack) {
    munmap(previous.ss_sp, kSignalStack);
  }
}

}  // namespace heddle::crash
