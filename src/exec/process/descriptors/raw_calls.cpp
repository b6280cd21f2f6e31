#include "exec/process/descriptors/raw_calls.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>

#include "base/fork.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

bool makes_descriptor(long number) noexcept {
  switch (number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_open_by_handle_at:
    case SYS_socket:
    case SYS_accept:
    case SYS_accept4:
    case SYS_dup:
    case SYS_memfd_create:
    case SYS_memfd_secret:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_inotify_init:
    case SYS_inotify_init1:
    case SYS_fanotify_init:
    case SYS_pidfd_open:
    case SYS_pidfd_getfd:
    case SYS_perf_event_open:
    case SYS_io_uring_setup:
    case SYS_userfaultfd:
    case SYS_fsopen:
    case SYS_open_tree:
    case SYS_bpf:
    case SYS_landlock_create_ruleset:
      return true;
    default:
      return false;
  }
}

// With memory of its own.
bool makes_process(long number, long first) noexcept {
  if (number == SYS_clone3)
    return (reinterpret_cast<const clone_args*>(first)->flags & CLONE_VM) == 0;
  return number == SYS_fork || (number == SYS_clone && (first & CLONE_VM) == 0);
}

}  // namespace

void note_raw_call(long number, long first, long result) noexcept {
  if (result < 0) return;
  if (result == 0 && makes_process(number, first)) return become_child();
  const RankState* const rank = hosted_state();
  if (rank == nullptr || is_child()) return;
  if (number == SYS_close) {
    disown_descriptor(static_cast<int>(first));
  } else if (makes_descriptor(number) && result > 2) {
    adopt_descriptor(static_cast<int>(result));
  }
}

}  // namespace heddle::process
