#include "exec/libc/raw_calls.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "exec/libc/descriptor_owners.h"
#include "exec/libc/rank_state.h"

namespace heddle::libc {

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

}  // namespace

void note_raw_call(long number, long first, long result) noexcept {
  if (result < 0) return;
  const RankState* const rank = hosted_state();
  if (rank == nullptr || rank->hooks.is_child != 0) return;
  if (number == SYS_close) {
    disown_descriptor(static_cast<int>(first));
  } else if (makes_descriptor(number) && result > 2) {
    adopt_descriptor(static_cast<int>(result));
  }
}

}  // namespace heddle::libc
