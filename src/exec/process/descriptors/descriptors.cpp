#include "exec/process/descriptors/descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/files/file_locks.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

constexpr int kAboveUsual = 512;  // numbers that programs expect of their first files stay free

// The standard descriptor of the process behind which the same file is, or -1: a program that saved
// its output by dup(1) brings it back by dup2.
int standard_behind(int descriptor) noexcept {
  struct stat file;
  struct stat standard;
  if (fstat(descriptor, &file) != 0) return -1;
  for (const int i : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fstat(i, &standard) == 0 && file.st_dev == standard.st_dev &&
        file.st_ino == standard.st_ino && file.st_rdev == standard.st_rdev) {
      return i;
    }
  }
  return -1;
}

// An image that outlives its rank, since the rank has left by _exit, runs its destructors at the
// end of the process. What they find as 0 to 2 is the job's, and they change nothing there.
int fail_without_rank() noexcept {
  errno = EBADF;
  return -1;
}

// What ranks have as their standard input that do not get the job's. Opened by the first one.
int empty_input() noexcept {
  static constinit std::atomic<int> null{-1};
  const int opened = null.load(std::memory_order_relaxed);
  if (opened >= 0) return opened;
  const int made = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int high = fcntl(made, F_DUPFD_CLOEXEC, kAboveUsual);
  if (made >= 0) close(made);
  int before = -1;
  if (null.compare_exchange_strong(before, high, std::memory_order_relaxed)) return high;
  close(high);
  return before;
}

}  // namespace

int redirect(int from, int onto) noexcept {
  if (hosted_state() == nullptr) return fail_without_rank();
  RankState& state = *hosted_state();
  const bool from_standard = from >= 0 && from <= 2;
  if (from_standard && state.standard[from].is_closed()) {
    errno = EBADF;
    return -1;
  }
  if (from == onto) return onto;
  const bool shared_source = from_standard && state.standard[from].own() < 0;
  if (onto != 0) {
    const int shared = shared_source   ? state.standard[from].shared()
                       : from_standard ? -1
                                       : standard_behind(from);
    if (shared > 0) {
      state.standard[onto].redirect_to_shared(shared);
      return onto;
    }
  }
  return state.standard[onto].redirect(process_descriptor(from)) ? onto : -1;
}

int close_standard(int standard) noexcept {
  if (hosted_state() == nullptr) return fail_without_rank();
  RankState& state = *hosted_state();
  Standard& closed = state.standard[standard];
  if (closed.is_closed()) {
    errno = EBADF;
    return -1;
  }
  if (closed.own() >= 0) unlock_before_close(closed.own());
  if (standard != 0) state.writer(standard).flush();
  closed.vacate();
  return 0;
}

int place_descriptor(int made) noexcept {
  if (hosted_state() == nullptr) return made;
  RankState& state = *hosted_state();
  for (int i = 0; i < 3; ++i) {
    if (!state.standard[i].is_closed()) continue;
    if (redirect(made, i) < 0) return made;
    disown_descriptor(made);
    close(made);
    return i;
  }
  return made;
}

int process_descriptor(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > 2 || hosted_state() == nullptr) return descriptor;
  const RankState& state = *hosted_state();
  const Standard& standard = state.standard[descriptor];
  if (standard.own() >= 0) return standard.own();
  return standard.shared() == STDIN_FILENO && !state.has_input ? empty_input() : standard.shared();
}

heddle_descriptor_hooks descriptor_hooks() noexcept {
  heddle_descriptor_hooks hooks{};
  hooks.redirect = redirect;
  hooks.close_standard = close_standard;
  hooks.place = place_descriptor;
  hooks.in_process = process_descriptor;
  add_owner_hooks(&hooks);
  return hooks;
}

}  // namespace heddle::process
