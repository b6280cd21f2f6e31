#include "base/platform/child_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::platform {

namespace {

constexpr std::size_t kMostInherited = 256;

struct Inherited {
  pid_t of = 0;  // the process that noted them
  std::size_t count = 0;
  std::array<pid_t, kMostInherited> processes{};
};
constinit Inherited inherited;

// Nothing here may allocate: a crash may have interrupted malloc.

// The parent, or 0 where the process has ended or none of that number is there.
pid_t parent_of_running(const char* number) noexcept {
  char text[512];
  std::snprintf(text, sizeof text, "/proc/%s/stat", number);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[std::max<ssize_t>(size, 0)] = '\0';
  // "12 (a name, perhaps with spaces) S 11 …"
  const char* const name_end = std::strrchr(text, ')');
  if (name_end == nullptr || std::strlen(name_end) < 5 || name_end[2] == 'Z') return 0;
  return static_cast<pid_t>(std::strtol(name_end + 4, nullptr, 10));
}

// Ended ones are children until they are waited for, which this does not do.
bool has_children() noexcept {
  siginfo_t unused;
  return waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

// Calls visit(pid) for each child that has not ended. A look at all processes of a busy machine
// takes longer than the start of a job.
template <class Visit>
void for_each_child(Visit visit) noexcept {
  if (!has_children()) return;
  const pid_t self = getpid();
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[4096];
  for (;;) {
    const long size = syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (size <= 0) break;
    for (long place = 0; place < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + place);
      place += entry->d_reclen;
      if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
      if (parent_of_running(entry->d_name) != self) continue;
      visit(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  close(folder);
}

bool is_inherited(pid_t process) noexcept {
  const auto* const begin = inherited.processes.data();
  const auto* const end = begin + inherited.count;
  return std::find(begin, end, process) != end;
}

}  // namespace

void note_inherited_children() noexcept {
  inherited.count = 0;
  for_each_child([](pid_t child) {
    if (inherited.count < kMostInherited) inherited.processes[inherited.count++] = child;
  });
  inherited.of = getpid();
}

namespace {

void kill_children() noexcept {
  // Children of the killed become this process's, to be found in the next round.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  constexpr int kMostRounds = 500;
  for (int round = 0; round < kMostRounds; ++round) {
    bool found = false;
    for_each_child([&found](pid_t child) {
      if (is_inherited(child)) return;
      found = kill(child, SIGKILL) == 0 || found;
    });
    if (!found) return;
    const timespec until_dead = {0, 1'000'000};
    nanosleep(&until_dead, nullptr);
  }
}

}  // namespace

void end_children() noexcept {
  if (inherited.of != getpid()) return;
  // On a crowded machine it may take longer than the end of the job is to take, and is then begun
  // again within itself (exec/crash/patience.h). The third one gives up: else there would be no
  // end.
  static std::atomic<int> under_way{0};
  constexpr int kMostUnderWay = 2;
  if (under_way.fetch_add(1, std::memory_order_relaxed) < kMostUnderWay) kill_children();
  under_way.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace heddle::platform
