#include "base/platform/foreign.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/platform/signals.h"

namespace heddle::platform {

namespace {

// How many tasks with a number the folder names for which counts(number) is true. Libc's opendir
// takes memory. Below 0: the kernel does not say.
template <class Counts>
int count_tasks(const char* path, Counts counts) noexcept {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  alignas(dirent64) char entries[4096];
  int tasks = 0;
  long bytes = 0;
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      const auto number = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      if (number > 0 && counts(number)) ++tasks;
      at += entry->d_reclen;
    }
  }
  close(folder);
  return bytes < 0 ? -1 : tasks;
}

// The kernel waits until the thread is off its core, and then says "202 0x7f… …", the call in which
// it sleeps; "-1 …" outside of a call, and "running".
bool sleeps(pid_t thread) noexcept {
  char text[64];
  std::snprintf(text, sizeof text, "/proc/self/task/%d/syscall", thread);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, text, 1);
  close(file);
  return size == 1 && text[0] >= '0' && text[0] <= '9';
}

using Handler = void (*)(int, siginfo_t*, void*);
constexpr int kSignals = 64;
constinit std::atomic<Handler> own_handlers[kSignals + 1];

Handler handler_of(int signal) noexcept {
  RawAction action;
  return get_raw_action(signal, &action) ? action.handler : nullptr;
}

}  // namespace

void note_own_handlers() noexcept {
  for (int i = 1; i <= kSignals; ++i) note_own_handler(i);
}

void note_own_handler(int signal) noexcept {
  own_handlers[signal].store(handler_of(signal), std::memory_order_relaxed);
}

bool has_foreign_threads() noexcept {
  return count_tasks("/proc/self/task", [](pid_t) { return true; }) !=
         own_threads.load(std::memory_order_relaxed);
}

bool others_sleep(int* threads) noexcept {
  const pid_t self = kernel_thread_id();
  bool all_sleep = true;
  *threads = count_tasks("/proc/self/task", [self, &all_sleep](pid_t thread) {
    all_sleep = all_sleep && (thread == self || sleeps(thread));
    return true;
  });
  return all_sleep && *threads > 0;
}

bool shares_memory() noexcept {
  const pid_t self = getpid();
  return count_tasks("/proc", [self](pid_t process) {
           return process != self && syscall(SYS_kcmp, self, process, KCMP_VM, 0, 0) == 0;
         }) > 0;
}

bool has_foreign_handlers() noexcept {
  for (int i = 1; i <= kSignals; ++i) {
    if (handler_of(i) != own_handlers[i].load(std::memory_order_relaxed)) return true;
  }
  return false;
}

bool has_handlers() noexcept {
  constexpr int kFirstOfLibc = 32,
                kLastOfLibc = 33;  // it cancels threads and sets user numbers by them
  for (int i = 1; i <= kSignals; ++i) {
    RawAction action;
    if (i >= kFirstOfLibc && i <= kLastOfLibc) continue;
    if (get_raw_action(i, &action) && action.is_handler()) return true;
  }
  return false;
}

}  // namespace heddle::platform
