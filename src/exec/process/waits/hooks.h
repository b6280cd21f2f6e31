// hooks.h — the host's part of waits for descriptors: descriptor_waits.h.
//
// Thread safety: any strand of the rank.

#pragma once

#include <poll.h>
#include <signal.h>

#include "base/wait_end.h"

extern "C" {

struct heddle_wait_hooks {
  // How many handlers of the program have begun in the calling strand.
  unsigned long (*handlers_run)();
  // 1: the calling strand should wait by until_ready. 0: in the kernel.
  int (*shares_worker)();
  // process::wait_for_descriptors(). A thread that is cancelled meanwhile is unwound. May switch.
  heddle::WaitEnd (*until_ready)(const struct pollfd* wanted, nfds_t count, long long deadline_ns);
  // Runs function(argument), which waits in the kernel, outside of the caller's worker if that can
  // be (exec/ult/outside.h). A cancellation point if the function is one. May switch.
  void (*outside)(void (*function)(void*), void* argument);
  // For calls with a mask of signals of their own. 1: `mask` is what the calling strand blocks now,
  // *before is what it has blocked; no handler has run. 0: the kernel keeps the strand's mask, and
  // nothing has been done.
  int (*swap_mask)(const sigset_t* mask, sigset_t* before);
  // See take_due_turn(), state/of_rank/hosted.h. May switch.
  void (*take_due_turn)(const void* caller);
  // Runs the handlers of all pending signals that the calling strand does not block. May switch.
  void (*run_pending_handlers)();
};

}  // extern "C"
