// wait and its kind: for any child, or any of a process group, they find this rank's children alone
// (own_children.h). Such a wait looks at each of them in turn and lets other ranks run between; one
// for a certain child is libc's.

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/process/children/of_rank/own_children.h"
#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"
#include "exec/process/waits/of_rank/descriptor_waits.h"
#include "exec/process/waits/of_rank/pauses.h"

using heddle::WaitEnd;
using namespace heddle::process::of_rank;

namespace heddle::process::of_rank {
namespace {

constinit pid_t* children = nullptr;
constinit size_t count = 0;
constinit size_t capacity = 0;

}  // namespace

void remember_child(pid_t child) noexcept {
  Guard guard(Guarded::kChildren);
  if (count == capacity) {
    const size_t larger = capacity == 0 ? 16 : 2 * capacity;
    auto* const grown = static_cast<pid_t*>(realloc(children, larger * sizeof(pid_t)));
    if (grown == nullptr) return;
    children = grown;
    capacity = larger;
  }
  children[count++] = child;
}

void forget_child(pid_t child) noexcept {
  Guard guard(Guarded::kChildren);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (children[i] != child) children[kept++] = children[i];
  }
  count = kept;
}

pid_t next_child(size_t* place) noexcept {
  Guard guard(Guarded::kChildren);
  return *place < count ? children[(*place)++] : 0;
}

}  // namespace heddle::process::of_rank

namespace {

int libc_waitid(idtype_t kind, id_t id, siginfo_t* info, int options) noexcept {
  return libc().waitid(kind, id, info, options);
}

pid_t libc_wait4(pid_t child, int* status, int options, rusage* usage) noexcept {
  return libc().wait4(child, status, options, usage);
}

enum class ChildState { kUnchanged, kChanged, kGone };

// Looks at each child of the group (0: at all), once or until look(child) has found something.
// kGone: there is none, or a handler has run and nothing is found even then; errno says which.
template <class LookAt>
ChildState find(pid_t group, bool waits, LookAt look) {
  Pauses pauses;
  for (bool interrupted = false;; interrupted = !pauses.wait()) {
    bool any = false;
    size_t place = 0;
    while (const pid_t child = next_child(&place)) {
      if (group != 0 && getpgid(child) != group) continue;
      const ChildState seen = look(child);
      if (seen == ChildState::kChanged) return seen;
      any = any || seen == ChildState::kUnchanged;
      if (seen != ChildState::kGone) continue;
      forget_child(child);
      --place;
    }
    if (!any) errno = ECHILD;
    if (!any || !waits) return any ? ChildState::kUnchanged : ChildState::kGone;
    if (interrupted) {
      errno = EINTR;
      return ChildState::kGone;
    }
  }
}

// A child's descriptor tells its end, but no stop of a child that is traced. So the caller looks
// now and then.
bool await_news(pid_t child, int descriptor) {
  constexpr long long kFirst = 1'000'000, kLongest = 64'000'000;
  const pollfd wanted = {descriptor, POLLIN, 0};
  const auto look = [child] {
    siginfo_t seen = {};
    const int all = WEXITED | WNOHANG | WNOWAIT;
    return libc_waitid(P_PID, static_cast<id_t>(child), &seen, all) != 0 || seen.si_pid != 0;
  };
  for (long long pause = kFirst;; pause = pause < kLongest ? 2 * pause : pause) {
    const WaitEnd waited = wait_until_ready(look, &wanted, 1, deadline_after(pause));
    if (waited == WaitEnd::kHandled) errno = EINTR;
    if (waited != WaitEnd::kTimedOut && waited != WaitEnd::kRestarts)
      return waited != WaitEnd::kHandled;
  }
}

// Called before a wait for the end of a child, which may be put off. False: errno is EINTR.
bool await_end(pid_t child, int options) {
  if ((options & (WNOHANG | WUNTRACED | WCONTINUED)) != 0 || !puts_off_waits()) return true;
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) return true;  // no child, or an old kernel
  int error = errno;
  const bool has_news = await_news(child, descriptor);
  if (!has_news) error = errno;
  syscall(SYS_close, descriptor);
  errno = error;
  return has_news;
}

// wait4 of a certain child.
pid_t wait_for_one(pid_t child, int* status, int options, rusage* usage) noexcept {
  int seen = 0;
  const pid_t result = libc_wait4(child, &seen, options, usage);
  if (result == child && (WIFEXITED(seen) || WIFSIGNALED(seen))) forget_child(child);
  if (result == child && status != nullptr) *status = seen;
  return result;
}

int wait_for_one(pid_t child, siginfo_t* info, int options) noexcept {
  siginfo_t seen = {};
  if (libc_waitid(P_PID, static_cast<id_t>(child), &seen, options) != 0) return -1;
  const bool ended =
      seen.si_code == CLD_EXITED || seen.si_code == CLD_KILLED || seen.si_code == CLD_DUMPED;
  if (seen.si_pid == child && ended && (options & WNOWAIT) == 0) forget_child(child);
  if (info != nullptr) *info = seen;
  return 0;
}

}  // namespace

HEDDLE_EXPORT pid_t wait4(pid_t child, int* status, int options, rusage* usage) {
  if (rank_hooks() == nullptr) return libc_wait4(child, status, options, usage);
  if (child > 0) {
    return await_end(child, options) ? wait_for_one(child, status, options, usage) : -1;
  }
  const pid_t group = child == -1 ? 0 : child == 0 ? getpgrp() : -child;
  pid_t found = 0;
  const ChildState seen = find(group, (options & WNOHANG) == 0, [&](pid_t own) {
    const pid_t result = wait_for_one(own, status, options | WNOHANG, usage);
    if (result == own) found = own;
    return result == own ? ChildState::kChanged
           : result == 0 ? ChildState::kUnchanged
                         : ChildState::kGone;
  });
  return seen == ChildState::kGone ? -1 : found;
}

HEDDLE_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
  if (rank_hooks() == nullptr) return libc_waitid(kind, id, info, options);
  if (kind == P_PID) {
    const auto child = static_cast<pid_t>(id);
    return await_end(child, options) ? wait_for_one(child, info, options) : -1;
  }
  if (kind != P_ALL && kind != P_PGID) return libc_waitid(kind, id, info, options);
  const pid_t group = kind == P_ALL ? 0 : id == 0 ? getpgrp() : static_cast<pid_t>(id);
  siginfo_t of_child = {};
  const ChildState seen = find(group, (options & WNOHANG) == 0, [&](pid_t own) {
    if (wait_for_one(own, &of_child, options | WNOHANG) != 0) return ChildState::kGone;
    return of_child.si_pid == own ? ChildState::kChanged : ChildState::kUnchanged;
  });
  if (seen == ChildState::kGone) return -1;
  if (info != nullptr) *info = of_child;
  return 0;
}

#include "wait.inc"
