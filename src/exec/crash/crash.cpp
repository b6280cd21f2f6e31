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

#include "base/fork.h"
#include "base/platform/child_processes.h"
#include "base/platform/memory.h"
#include "base/platform/openmp_segment.h"
#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/crash/frames.h"
#include "exec/crash/patience.h"
#include "exec/crash/symbols.h"
#include "exec/process/state/output.h"
#include "exec/process/streams/streams.h"
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

std::atomic<int> reporter{0};  // the kernel thread that ends the process; 0: none yet
std::atomic<int> reported_signal{0};
ucontext_t* reported_context = nullptr;  // of the thread that reports

void emit(const char* text, int size) noexcept {
  process::Sink::of(STDERR_FILENO).emit_in_crash(text, static_cast<std::size_t>(size));
}

[[noreturn]] void end_by(int signal) noexcept {
  platform::end_children();
  platform::remove_openmp_segment(getpid());
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

MaySay may_say_why = nullptr;
bool says_why = true;  // written by the thread that ends the process

// Returns true if the calling thread is the one that ends the process.
bool begin_report(int signal) noexcept {
  int none = 0;
  const int self = platform::kernel_thread_id();
  if (!reporter.compare_exchange_strong(none, self, std::memory_order_relaxed)) return false;
  reported_signal.store(signal, std::memory_order_relaxed);
  says_why = may_say_why == nullptr || may_say_why();
  return true;
}

bool reports_here() noexcept {
  return reporter.load(std::memory_order_relaxed) == platform::kernel_thread_id();
}

// A report is under way. The thread that makes it has crashed in it; others wait for it.
[[noreturn]] void wait_for_end() noexcept {
  if (reports_here()) end_by_reported();
  // pause() would let other ranks run, on a thread that blocks the signals that they raise.
  for (;;) syscall(SYS_pause);
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
  if (const char* call = Standing::mine.call) add(", inside %s", call);
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
  if (!begin_report(signal)) wait_for_end();
  if (signal == SIGPIPE && readers_are_gone()) end_by_reported();
  reported_context = static_cast<ucontext_t*>(context);
  limit_patience(finish_report);
  say_what(named(signal), *info);
  process::flush_in_crash();
  finish_report();
}

// "SIGUSR1 (User defined signal 1)"
struct Described {
  char text[80];

  explicit Described(int signal) noexcept {
    const char* const name = sigabbrev_np(signal);
    if (name != nullptr) {
      std::snprintf(text, sizeof text, "SIG%s (%s)", name, sigdescr_np(signal));
    } else {
      std::snprintf(text, sizeof text, "SIGRTMIN+%d (real-time signal)", signal - SIGRTMIN);
    }
  }
};

// What a signal asks for that no rank handles.
[[noreturn]] void end_as_asked(const char* sentence, int length) noexcept {
  limit_patience(end_by_reported);
  if (says_why) emit(sentence, length);
  process::flush_in_crash();
  end_by_reported();
}

// True if the strand that is interrupted here has sent the signal, by raise() or kill().
bool is_raised(const siginfo_t& info) noexcept {
  return (info.si_code == SI_TKILL || info.si_code == SI_USER) && info.si_pid == getpid() &&
         Rank::current() != nullptr;
}

void on_request(int signal, siginfo_t* info, void*) {
  const bool raised = is_raised(*info);
  if (!begin_report(signal)) {
    // A rank that has raised it must not go on. One that a signal from outside has interrupted may
    // hold locks which the report needs.
    if (raised && !reports_here()) wait_for_end();
    return;
  }
  char line[160];
  int length =
      std::snprintf(line, sizeof line, "mpiexec: %s came without a handler for it, the job ends\n",
                    Described(signal).text);
  for (const Named& request : kRequests) {
    if (request.signal != signal) continue;
    length = std::snprintf(line, sizeof line, "mpiexec: %s (%s), the job ends\n", request.meaning,
                           request.name);
  }
  if (raised) {
    length = std::snprintf(line, sizeof line,
                           "mpiexec: rank %d raised %s without a handler for it, the job ends\n",
                           Rank::current()->number(), Described(signal).text);
  }
  end_as_asked(line, length);
}

// The other signals that end a process without a word, except those that have an action already.
template <class Action>
void for_each_silent_end(Action action) noexcept {
  for (const int signal :
       {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT}) {
    action(signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) action(signal);
}

// A child of fork ends alone, as any process does.
void take_back(bool) noexcept {
  const auto take = [](int signal) {
    struct sigaction present = {};
    sigaction(signal, nullptr, &present);
    if (present.sa_sigaction != on_crash && present.sa_sigaction != on_request) return;
    present = {};
    present.sa_handler = SIG_DFL;
    sigaction(signal, &present, nullptr);
  };
  for (const Named& crash : kCrashes) take(crash.signal);
  for (const Named& asked : kRequests) take(asked.signal);
  for_each_silent_end(take);
}
[[maybe_unused]] const bool at_forks = at_fork(ForkPart::kCrashes, {.become_child = take_back});

// A signal that the process ignored at its start (nohup) stays ignored.
void take_over(const Named& named, const struct sigaction& action) noexcept {
  struct sigaction previous = {};
  sigaction(named.signal, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) sigaction(named.signal, &action, nullptr);
}

}  // namespace

void install(MaySay may_say) noexcept {
  may_say_why = may_say;
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  // A second crash, in the report, ends the process by itself: its signal is blocked.
  sigdelset(&action.sa_mask, SIGALRM);
  for (const Named& crash : kCrashes) take_over(crash, action);

  struct sigaction request = action;
  request.sa_sigaction = on_request;
  request.sa_flags |= SA_RESTART;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&request.sa_mask, fault);
  for (const Named& asked : kRequests) take_over(asked, request);
  for_each_silent_end([&](int signal) {
    struct sigaction previous = {};
    sigaction(signal, nullptr, &previous);
    const bool is_free = (previous.sa_flags & SA_SIGINFO) == 0 && previous.sa_handler == SIG_DFL;
    if (is_free) sigaction(signal, &request, nullptr);
  });

  ult::add_worker_hooks({[](int) { prepare_thread(); }, [](int) { release_thread(); }});
}

void end_by_default(int signal, int rank) noexcept {
  if (!begin_report(signal)) wait_for_end();
  char line[160];
  int length =
      std::snprintf(line, sizeof line, "mpiexec: %s came without a handler for it, the job ends\n",
                    Described(signal).text);
  if (rank >= 0) {
    length = std::snprintf(line, sizeof line,
                           "mpiexec: %s came to rank %d without a handler for it, the job ends\n",
                           Described(signal).text, rank);
  }
  end_as_asked(line, length);
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
