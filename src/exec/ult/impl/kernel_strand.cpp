#include "exec/ult/impl/kernel_strand.h"

#include <new>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/platform/futex.h"
#include "exec/ult/impl/pollers.h"

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
  // Nothing but the address of word_ is used after the wake-up is visible.
  if (word_.fetch_add(1, std::memory_order_release) == kAsleep) {  // [R1]
    platform::futex_wake_one(word_);
  }
}

bool KernelStrand::absorb_one() noexcept {
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  // Only this thread lowers the word, so a failure means more wake-ups.
  while (seen != 0) {
    if (word_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,  // [A1]
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

bool KernelStrand::park_self_until(std::int64_t deadline_ns) noexcept {
  const std::int64_t began = platform::now_ns();
  const std::int64_t spin_end = deadline_ns - began < kSpinNs ? deadline_ns : began + kSpinNs;
  do {
    poll_all();
    for (int turn = 0; turn < kTurnsPerLook; ++turn) {
      if (absorb_one()) return true;
      platform::cpu_relax();
    }
  } while (platform::now_ns() < spin_end);

  std::uint32_t none = 0;
  // relaxed: the waker looks at nothing but the word.
  if (!word_.compare_exchange_strong(none, kAsleep, std::memory_order_relaxed)) {
    return absorb_one();
  }
  while (word_.load(std::memory_order_acquire) == kAsleep) {  // [A1]
    platform::futex_wait(word_, kAsleep, deadline_ns);
    if (platform::now_ns() < deadline_ns) continue;
    std::uint32_t asleep = kAsleep;
    if (word_.compare_exchange_strong(asleep, 0, std::memory_order_acquire)) return false;
  }
  return true;  // the wake-up that ended the sleep is this one
}

}  // namespace heddle::ult
