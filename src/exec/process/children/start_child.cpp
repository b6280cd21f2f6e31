#include "exec/process/children/start_child.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/platform/memory.h"
#include "base/platform/signals.h"
#include "exec/process/descriptors/open_files.h"

namespace heddle::process {

namespace {

// What the child shares with its parent.
struct Start {
  const char* path;
  char* const* argv;
  char* const* environment;
  const SpawnActions& actions;
  short flags = 0;
  pid_t group = 0;
  int policy = 0;
  sched_param priority = {};
  sigset_t defaults = {};
  sigset_t mask = {};
  int error = 0;  // the child's
};

constexpr short kKnownFlags = POSIX_SPAWN_RESETIDS | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                              POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSCHEDPARAM |
                              POSIX_SPAWN_SETSCHEDULER | POSIX_SPAWN_USEVFORK | POSIX_SPAWN_SETSID;

// False: there is one that is not known.
bool read_attributes(const posix_spawnattr_t* attributes, Start* start) noexcept {
  if (attributes == nullptr) return true;
  posix_spawnattr_getflags(attributes, &start->flags);
  posix_spawnattr_getpgroup(attributes, &start->group);
  posix_spawnattr_getschedpolicy(attributes, &start->policy);
  posix_spawnattr_getschedparam(attributes, &start->priority);
  posix_spawnattr_getsigdefault(attributes, &start->defaults);
  if ((start->flags & POSIX_SPAWN_SETSIGMASK) != 0) {
    posix_spawnattr_getsigmask(attributes, &start->mask);
  }
  return (start->flags & ~kKnownFlags) == 0;
}

// A handler must not run in the parent's memory. The two signals that libc keeps to itself are in
// no set, and are ignored in what libc's posix_spawn starts.
void forget_handlers(const Start& start) noexcept {
  const bool chosen = (start.flags & POSIX_SPAWN_SETSIGDEF) != 0;
  for (int signal = 1; signal <= static_cast<int>(8 * platform::kMaskBytes); ++signal) {
    platform::RawAction action;
    if (!platform::get_raw_action(signal, &action)) continue;
    if (signal > SIGSYS && signal < SIGRTMIN) {
      platform::set_raw_action(signal, platform::RawAction::ignore());
    } else if (action.is_handler() || (chosen && sigismember(&start.defaults, signal) == 1)) {
      platform::set_raw_action(signal, {});
    }
  }
}

// System calls by number: libc's functions of these names are for all threads, or cancellation
// points, or a sanitizer's.
int set_attributes(const Start& start) noexcept {
  const auto has = [&](int flag) { return (start.flags & flag) != 0; };
  constexpr long kKeep = -1;
  long failed = 0;
  if (has(POSIX_SPAWN_SETSCHEDULER)) {
    failed |= syscall(SYS_sched_setscheduler, 0, start.policy, &start.priority);
  } else if (has(POSIX_SPAWN_SETSCHEDPARAM)) {
    failed |= syscall(SYS_sched_setparam, 0, &start.priority);
  }
  if (failed == 0 && has(POSIX_SPAWN_SETSID)) failed |= syscall(SYS_setsid) < 0 ? -1 : 0;
  if (failed == 0 && has(POSIX_SPAWN_SETPGROUP)) failed |= syscall(SYS_setpgid, 0, start.group);
  if (failed == 0 && has(POSIX_SPAWN_RESETIDS)) {
    failed |= syscall(SYS_setresgid, kKeep, syscall(SYS_getgid), kKeep);
    if (failed == 0) failed |= syscall(SYS_setresuid, kKeep, syscall(SYS_getuid), kKeep);
  }
  return failed == 0 ? 0 : errno;
}

// In the child. ThreadSanitizer's notes on this function's call would stay with the parent, because
// exec does not return.
__attribute__((no_sanitize_thread, no_sanitize_address)) int run_child(void* shared) noexcept {
  Start& start = *static_cast<Start*>(shared);
  forget_handlers(start);
  int error = set_attributes(start);
  if (error == 0) error = start.actions.perform();
  if (error == 0) {
    lower_open_files_of(0);
    sigset_t before;
    platform::change_mask_of_this_thread(SIG_SETMASK, start.mask, &before);
    execve(start.path, start.argv, start.environment);
    error = errno;
  }
  start.error = error;
  return 127;
}

int start_by_libc(pid_t* child, const Start& start, const posix_spawnattr_t* attributes) noexcept {
  const int error = posix_spawn(child, start.path, start.actions.get(), attributes, start.argv,
                                start.environment);
  if (error == 0) lower_open_files_of(*child);
  return error;
}

}  // namespace

int start_child(pid_t* child, const char* path, const SpawnActions& actions,
                const posix_spawnattr_t* attributes, char* const* argv,
                char* const* environment) noexcept {
  Start start{.path = path, .argv = argv, .environment = environment, .actions = actions};
  platform::signal_mask_of_this_thread(&start.mask);
  if (!read_attributes(attributes, &start) || !actions.are_known()) {
    return start_by_libc(child, start, attributes);
  }
  constexpr std::size_t kStack = std::size_t{64} << 10;
  const platform::Mapping stack = platform::map_stack(kStack);
  if (stack.low == nullptr) return ENOMEM;

  // All, libc's own too: the child shares the memory in which handlers work.
  sigset_t all, before;
  std::memset(&all, 0xff, sizeof all);
  platform::change_mask_of_this_thread(SIG_SETMASK, all, &before);
  const pid_t made = clone(run_child, static_cast<char*>(stack.low) + stack.bytes,
                           CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  const int error = made < 0 ? errno : start.error;
  platform::change_mask_of_this_thread(SIG_SETMASK, before, &all);
  platform::unmap(stack);

  if (error == 0) *child = made;
  if (error != 0 && made > 0) {
    while (waitpid(made, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return error;
}

}  // namespace heddle::process
