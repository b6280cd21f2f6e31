#include "exec/ult/wait/kernel_strand.h"

#include <new>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/platform/futex.h"
#include "exec/ult/idle/pollers.h"

namespace heddle::ult {

namespace {
// Shorter than a worker's: this thread may be taking a core from one.
constexpr std::int64_t kSpinNs = 5'000;
constexpr int kTurnsPerLook = 16;
}  // namespace

KernelStrand& KernelStrand::mine() noexcept {
  alignas(
      KernelStrand) static thread_local constinit unsigned char storage[sizeof(KernelStrand)] = {};
  static thread_local constinit KernelStrand* strand = nullptr;
  if (strand == nullptr) strand = new (storage) KernelStrand();
  return *strand;
}

void KernelStrand::wake() noexcept {
  // Only the address of word_ is used after the wake-up is visible.
  if ((word_.fetch_add(kOneWake, std::memory_order_release) & kAsleep) != 0) {  // [R1]
    platform::futex_wake_one(word_);
  }
}

void KernelStrand::rouse() noexcept {
  std::uint32_t asleep = kAsleep;
  // relaxed: the work that it shall find has a lock of its own. If this fails, it has been woken, and polls as it goes on.
  if (word_.compare_exchange_strong(asleep, 0, std::memory_order_relaxed)) {
    platform::futex_wake_one(word_);
  }
}

bool KernelStrand::absorb_one() noexcept {
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  // Only this thread lowers the word, so a failure means more wake-ups.
  while (seen != 0) {
    if (word_.compare_exchange_weak(seen, seen - kOneWake, std::memory_order_acquire,  // [A1]
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

bool KernelStrand::spin_until(std::int64_t deadline_ns) noexcept {
  std::int64_t now = platform::now_ns();
  const std::int64_t spin_end = deadline_ns - now < kSpinNs ? deadline_ns : now + kSpinNs;
  bool more_to_poll = false;
  do {
    more_to_poll = poll_all(-1, Look::kIdle);
    for (int turn = 0; turn < kTurnsPerLook; ++turn) {
      if (absorb_one()) return true;
      platform::cpu_relax();
    }
    now = platform::now_ns();
  } while (now < spin_end || (more_to_poll && now < deadline_ns));
  return false;
}

void KernelStrand::sleep_until(std::int64_t deadline_ns) noexcept {
  std::uint32_t none = 0;
  // relaxed: the waker looks only at the word. Before it is listed, so that it can be roused.
  if (!word_.compare_exchange_strong(none, kAsleep, std::memory_order_relaxed)) return;
  {
    const ListedSleeper until_the_end(*this, have_pollers());
    const bool progress = until_the_end.listed() && poll_all(-1, Look::kThorough);
    while (!progress && word_.load(std::memory_order_relaxed) == kAsleep &&
           platform::now_ns() < deadline_ns) {
      platform::futex_wait(word_, kAsleep, deadline_ns);
    }
  }
  word_.fetch_and(~kAsleep, std::memory_order_relaxed);  // the wake-ups are absorbed later
}

bool KernelStrand::park_self_until(std::int64_t deadline_ns) noexcept {
  while (!spin_until(deadline_ns)) {
    if (platform::now_ns() >= deadline_ns) return false;
    sleep_until(deadline_ns);
  }
  return true;
}

}  // namespace heddle::ult
