#include "exec/ult/own_sleep.h"

#include <atomic>

#include "exec/ult/wait/kernel_wait.h"

namespace heddle::ult {

namespace {
constinit std::atomic<void (*)(const OwnSleep&) noexcept> the_sleep_judge{nullptr};
}  // namespace

thread_local constinit KernelWait kernel_wait;

void set_sleep_judge(void (*judge)(const OwnSleep&) noexcept) noexcept {
  the_sleep_judge.store(judge, std::memory_order_release);
}

// The note's thread is this one, so it may be read before any proof.
bool may_judge_own_sleep(bool has_timer) noexcept {
  const KernelWait& own = kernel_wait;
  return own.note != nullptr && own.note->kind == WaitNote::Kind::kMpi &&
         (!has_timer || own.answered != Ult::kAsksNothing) &&
         the_sleep_judge.load(std::memory_order_relaxed) != nullptr;
}

void judge_own_sleep(std::uint32_t rings) noexcept {
  const KernelWait& own = kernel_wait;
  the_sleep_judge.load(std::memory_order_acquire)(
      {*own.note, std::uint64_t{rings} + 1, own.steps, own.answered});
}

}  // namespace heddle::ult
