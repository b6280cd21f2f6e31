#include "exec/ult/preempt/identity_signal.h"

#include "base/platform/signals.h"
#include "base/platform/thread_pointer.h"
#include "exec/ult/preempt/away.h"
#include "exec/ult/switch/worker_thread.h"

namespace heddle::ult {

namespace {

// The second of the two signals that libc keeps to itself and hides from sigaction().
constexpr int kSetIdentity = 33;

constinit platform::RawAction libc_action;  // constant once ours is set

// The end of a ult or the beginning of another may be interrupted while it is none: then libc's handler
// misses the worker, and the signal comes again.
void on_signal(int signal, siginfo_t* info, void* context) {
  const WorkerThread* const here = thread_of_caller();
  if (here == nullptr) return libc_action.handler(signal, info, context);
  char* const own =
      platform::exchange_thread_pointer(static_cast<char*>(here->root.thread_pointer));
  libc_action.handler(signal, info, context);
  platform::exchange_thread_pointer(own);
}

bool replace_handler() noexcept {
  if (!platform::get_raw_action(kSetIdentity, &libc_action)) return false;
  if (!libc_action.is_handler()) return false;  // a libc that does without
  platform::RawAction ours = libc_action;
  ours.handler = on_signal;
  return platform::set_raw_action(kSetIdentity, ours);
}

}  // namespace

void carry_identity_changes() noexcept {
  [[maybe_unused]] static const bool once = replace_handler();
}

}  // namespace heddle::ult
