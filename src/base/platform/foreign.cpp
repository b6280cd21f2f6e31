#include "base/platform/foreign.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform/signals.h"

namespace heddle::platform {

namespace {

// Libc's opendir takes memory. Below 0: the kernel does not say.
int count_threads() noexcept {
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  alignas(dirent64) char entries[4096];
  int threads = 0;
  long bytes = 0;
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      if (entry->d_name[0] != '.') ++threads;
      at += entry->d_reclen;
    }
  }
  close(folder);
  return bytes < 0 ? -1 : threads;
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
  return count_threads() != own_threads.load(std::memory_order_relaxed);
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
