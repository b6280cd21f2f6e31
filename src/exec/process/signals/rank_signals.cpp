#include "exec/process/signals/rank_signals.h"

#include <algorithm>

#include "exec/crash/crash.h"
#include "exec/process/signals/kernel_actions.h"

namespace heddle::process::signals {

namespace {
constinit const struct sigaction by_default {};
thread_local constinit StrandSignals of_this_strand{};

siginfo_t of_kernel(int signal) noexcept {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_KERNEL;
  return info;
}
}  // namespace

bool is_valid(int signal) noexcept {
  return signal > 0 && signal <= kSignals && (signal < __SIGRTMIN || signal >= SIGRTMIN);
}

RankSignals::RankSignals() noexcept
    : real_time(*this, of_kernel(SIGALRM)),
      profile(*this, of_kernel(SIGPROF)),
      virtual_time(*this, of_kernel(SIGVTALRM)) {}

void RankSignals::add(StrandSignals& strand) noexcept {
  SpinGuard guard(strands_lock_);
  strands_.push_back(strand);
}

void RankSignals::remove(StrandSignals& strand) noexcept {
  SpinGuard guard(strands_lock_);
  if (strand.linked()) IntrusiveList<StrandSignals>::erase(strand);
}

bool RankSignals::is_blocked(int signal) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(strands_lock_);
  Mask blocked = ~Mask{0};
  for (const StrandSignals& strand : strands_) blocked &= blocked_by(strand);
  return !strands_.empty() && (blocked & bit(signal)) != 0;
}

bool RankSignals::is_handled(int signal) const noexcept {
  const struct sigaction* const wanted = action(signal);
  return wanted != nullptr && wanted->sa_handler != SIG_DFL;
}

bool RankSignals::is_kept(int signal) noexcept {
  return is_blocked(signal) || pending.is_awaited(signal);
}

bool RankSignals::takes(int signal) noexcept {
  // Twice: the rank may set its handler and unblock the signal between two looks, or block it and
  // take the handler away.
  for (int look = 0; look < 2; ++look) {
    if (is_handled(signal) || is_kept(signal)) return true;
  }
  return false;
}

bool RankSignals::accept(const siginfo_t& info) {
  if (!takes(info.si_signo)) {
    if (default_of(info.si_signo) == Default::kEnd && !was_ignored(info.si_signo)) {
      crash::end_by_default(info.si_signo, main.rank);
    }
    return false;
  }
  const struct sigaction* const wanted = action(info.si_signo);
  if (wanted != nullptr && wanted->sa_handler == SIG_IGN && !is_kept(info.si_signo)) return false;
  pending.prepare();
  pending.note(info);
  return true;
}

void RankSignals::set_action(int signal, const struct sigaction& action) {
  const auto is_same = [&](const std::unique_ptr<const struct sigaction>& other) {
    return action.sa_sigaction == other->sa_sigaction && action.sa_flags == other->sa_flags &&
           mask_of(action.sa_mask) == mask_of(other->sa_mask);
  };
  if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) {
    any_handler_set.store(true, std::memory_order_relaxed);  // ordered by the worker's sleep
  }
  pending.prepare();
  SpinGuard guard(lock_);
  auto found = std::find_if(known_.begin(), known_.end(), is_same);
  if (found == known_.end()) {
    known_.push_back(std::make_unique<const struct sigaction>(action));
    found = std::prev(known_.end());
  }
  actions_[static_cast<std::size_t>(signal)].store(found->get(),
                                                   std::memory_order_release);  // [R1]
}

void RankSignals::reset_action(int signal) noexcept {
  // relaxed: it was there before everything.
  actions_[static_cast<std::size_t>(signal)].store(&by_default, std::memory_order_relaxed);
}

StrandSignals& strand_signals() noexcept {
  return of_this_strand;
}

}  // namespace heddle::process::signals
