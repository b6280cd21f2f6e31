#include "exec/ult/program_signals.h"

#include <atomic>

#include "base/platform/signals.h"
#include "exec/ult/impl/time_slice.h"
#include "exec/ult/impl/worker.h"

namespace heddle::ult {

namespace {

// Never freed when another one takes its place: a handler may be looking at it, and programs set few.
constinit const struct sigaction default_action {};
constinit std::atomic<const struct sigaction*> program_action{&default_action};

}  // namespace

bool interrupts_workers(int signal) noexcept {
  return signal == kInterrupt && time_slices_prepared();
}

void exchange_program_action(const struct sigaction* action, struct sigaction* old) noexcept {
  // acquire and release: whoever finds an action sees what it says.
  const struct sigaction* const before =
      action == nullptr
          ? program_action.load(std::memory_order_acquire)
          : program_action.exchange(new struct sigaction(*action), std::memory_order_acq_rel);
  if (old != nullptr) *old = *before;
}

void act_for_program(siginfo_t* info, void* context) {
  const struct sigaction& action = *program_action.load(std::memory_order_acquire);
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    program_action.store(&default_action, std::memory_order_relaxed);
  }
  // As the kernel does; and whoever is interrupted with more blocked than usual is in a handler.
  sigset_t blocked = action.sa_mask;
  sigset_t before;
  sigaddset(&blocked, kInterrupt);
  platform::change_mask_of_this_thread(SIG_BLOCK, blocked, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(kInterrupt, info, context);
  } else {
    action.sa_handler(kInterrupt);
  }
  platform::change_mask_of_this_thread(SIG_SETMASK, before, nullptr);
}

int change_signal_mask(int (*change)(int, const sigset_t*, sigset_t*), int how, const sigset_t* set,
                       sigset_t* old) noexcept {
  const Ult* const self = Ult::current_;
  if (self == nullptr || set == nullptr || !time_slices_prepared()) return change(how, set, old);
  sigset_t wanted = *set;
  if (how != SIG_UNBLOCK) sigdelset(&wanted, kInterrupt);
  sigset_t before;
  platform::signal_mask_of_this_thread(&before);
  const int result = change(how, &wanted, old);
  // Not what a handler blocks for itself: that goes when it returns.
  if (self->worker->is_usual_mask(before)) self->worker->take_usual_mask();
  return result;
}

}  // namespace heddle::ult
