#include "exec/process/threads/cancel_signal.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>

#include "base/mutex.h"
#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/process/exports/libc.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/threads/ult_thread.h"
#include "exec/ult/interruption.h"

namespace heddle::process {

namespace {

constexpr int kCancelSignal = __SIGRTMIN;  // libc has no name for it

constinit char ours = 0;  // the value of our signals is its address

using Handler = void (*)(int, siginfo_t*, void*);
constinit std::atomic<Handler> libcs_handler{nullptr};

// Runs in a handler, on the ult's stack. Returns if the ult is not to be unwound here.
void act_if_canceled(ucontext_t& interrupted) {
  // Either this finds the request, or the canceller finds the kernel thread that the ult is on now.
  std::atomic_thread_fence(std::memory_order_seq_cst);  // `canceled`, Ult::state
  Thread* const self = this_ult_thread();
  if (self == nullptr || !self->canceled.load(std::memory_order_relaxed)) return;
  if (!may(Act::kUnwind)) return;  // this comes again
  const bool holds = !may(Act::kRunProgram);
  // Then libc's handler only notes the cancellation.
  if (holds) libc().pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
  siginfo_t from_libc = signals::sent(kCancelSignal, SI_TKILL);
  libcs_handler.load(std::memory_order_relaxed)(kCancelSignal, &from_libc, &interrupted);
  const bool at_once = !holds && is_asynchronous() &&
                       signals::is_code_of_program(platform::program_counter(interrupted));
  if (at_once) pthread_testcancel();
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_ours = info->si_code == SI_QUEUE && info->si_value.sival_ptr == &ours;
  if (is_ours) {
    act_if_canceled(*static_cast<ucontext_t*>(context));
  } else if (this_ult_thread() == nullptr) {
    libcs_handler.load(std::memory_order_relaxed)(signal, info, context);
  }
  errno = error;
}

// libc sets its handler when it first cancels a thread, and again where two threads are the first
// to cancel one at the same time.
void install() noexcept {
  platform::RawAction action;
  if (!platform::get_raw_action(kCancelSignal, &action) || action.handler == on_signal) return;
  libcs_handler.store(action.handler, std::memory_order_relaxed);
  action.handler = on_signal;
  // The handler does not return where it unwinds a ult, and the kernel thread runs others then.
  action.flags |= SA_NODEFER;
  platform::set_raw_action(kCancelSignal, action);
  ult::interruption_hook.store(act_if_canceled, std::memory_order_relaxed);
}

}  // namespace

void send_cancel_signal(Thread& thread) noexcept {
  install();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // see act_if_canceled()
  const int kernel_thread = ult::kernel_thread_of(*thread.ult);
  if (kernel_thread != 0) platform::signal_thread(kernel_thread, kCancelSignal, &ours);
}

}  // namespace heddle::process
