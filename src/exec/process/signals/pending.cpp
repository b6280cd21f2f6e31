#include "exec/process/signals/pending.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <utility>

namespace heddle::process::signals {

Mask mask_of(const sigset_t& set) noexcept {
  Mask mask = 0;
  std::memcpy(&mask, &set, sizeof mask);
  return mask;
}

sigset_t set_of(Mask mask) noexcept {
  sigset_t set;
  std::memset(&set, 0, sizeof set);
  std::memcpy(&set, &mask, sizeof mask);
  return set;
}

void Pending::prepare() {
  {
    const Uninterrupted uninterrupted;
    SpinGuard guard(lock_);
    if (infos_ != nullptr) return;
  }
  auto made = std::make_unique<std::array<siginfo_t, kSignals>>();  // not while signals are blocked
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  if (infos_ == nullptr) infos_ = std::move(made);
}

void Pending::note(const siginfo_t& info) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  const Mask it = bit(info.si_signo);
  Waiting* const taker = find_taker(it);
  if (taker != nullptr && give(info, *taker)) return;
  if ((all() & it) == 0) (*infos_)[place_of(info.si_signo)] = info;
  signals_.store(all() | it, std::memory_order_relaxed);
  for (Waiting& waiting : waiting_) {
    if ((waiting.wanted & it) == 0 || waiting.woken) continue;
    waiting.woken = true;
    waiting.news.set();
    break;
  }
}

Pending::Waiting* Pending::find_taker(Mask signal) noexcept {
  for (Waiting& waiting : waiting_) {
    if (waiting.taken != nullptr && (waiting.taken->wanted & signal) != 0 && !waiting.woken) {
      return &waiting;
    }
  }
  return nullptr;
}

bool Pending::give(const siginfo_t& info, Waiting& taker) noexcept {
  const int thread = taker.taken->kernel_thread;
  siginfo_t sent = info;
  if (sent.si_code >= 0 || sent.si_code == SI_TKILL) sent.si_code = SI_QUEUE;  // else it is refused
  if (thread != 0 && syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, info.si_signo, &sent) != 0) {
    return false;
  }
  taker.woken = true;
  taker.taken->info = info;
  if (thread == 0) taker.news.set();
  return true;
}

void Pending::begin_taking(Waiting& waiting) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  waiting_.push_back(waiting);
  const int signal = first(waiting.taken->wanted);
  if (signal == 0 || !give((*infos_)[place_of(signal)], waiting)) return;
  signals_.store(all() & ~bit(signal), std::memory_order_relaxed);
}

void Pending::end_taking(Waiting& waiting) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  IntrusiveList<Waiting>::erase(waiting);
}

bool Pending::is_awaited(int signal) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  return find_taker(bit(signal)) != nullptr;
}

int Pending::first(Mask wanted) const noexcept {
  const Mask found = all() & wanted;
  return found == 0 ? 0 : std::countr_zero(found) + 1;
}

int Pending::take(Mask wanted, siginfo_t* info) noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  const int signal = first(wanted);
  if (signal == 0) return 0;
  signals_.store(all() & ~bit(signal), std::memory_order_relaxed);
  *info = (*infos_)[place_of(signal)];
  return signal;
}

void Pending::drop(int signal) noexcept {
  siginfo_t dropped;
  take(bit(signal), &dropped);
}

WaitEnd Pending::wait(Mask wanted, std::int64_t deadline_ns, ult::Interrupt* interrupt,
                      Taken* taken) noexcept {
  Waiting self;
  self.wanted = wanted;
  self.taken = taken;
  {
    const Uninterrupted uninterrupted;
    SpinGuard guard(lock_);
    if (first(wanted) != 0) return WaitEnd::kDone;
    waiting_.push_back(self);
  }
  const WaitEnd end = ult::wait(
      self.news,
      {.deadline_ns = deadline_ns, .interrupt = interrupt, .alerts = ult::Alerts::kIgnores});
  {
    const Uninterrupted uninterrupted;
    SpinGuard guard(lock_);
    IntrusiveList<Waiting>::erase(self);
  }
  return self.woken ? WaitEnd::kDone : end;
}

}  // namespace heddle::process::signals
