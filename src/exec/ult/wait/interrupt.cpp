#include "exec/ult/interrupt.h"

#include "base/platform/futex.h"
#include "base/schedule_point.h"

namespace heddle::ult {

void Interrupt::request() noexcept {
  schedule_point();
  const std::uintptr_t seen = word_.exchange(kRequested, std::memory_order_acq_rel);  // [A1]
  if (seen != kIdle && seen != kRequested) reinterpret_cast<Strand*>(seen)->wake();
}

bool Interrupt::begin(Strand& strand) noexcept {
  schedule_point();
  std::uintptr_t expected = kIdle;
  return word_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&strand),
                                       std::memory_order_release,  // [R1]
                                       std::memory_order_acquire);
}

bool Interrupt::end(Strand& strand) noexcept {
  schedule_point();
  std::uintptr_t expected = reinterpret_cast<std::uintptr_t>(&strand);
  return word_.compare_exchange_strong(expected, kIdle, std::memory_order_acquire,
                                       std::memory_order_acquire);
}

WaitEnd wait(Completion& completion, std::int64_t deadline_ns, Interrupt* interrupt) noexcept {
  if (completion.done()) return WaitEnd::kDone;
  Strand& self = Strand::current();
  if (interrupt != nullptr && !interrupt->begin(self)) return WaitEnd::kInterrupted;
  const bool enrolled = completion.enroll(self);
  int absorbed = 0;
  if (enrolled) {
    if (deadline_ns == platform::kNever) {
      Strand::park();
      absorbed = 1;
    } else if (Strand::park_until(deadline_ns)) {
      absorbed = 1;
    }
  }
  const bool interrupted = interrupt != nullptr && !interrupt->end(self);
  const bool done = !enrolled || !completion.withdraw(self);
  const int wakes = int{interrupted} + int{enrolled && done};
  for (; absorbed < wakes; ++absorbed) Strand::park();
  if (done) return WaitEnd::kDone;
  return interrupted ? WaitEnd::kInterrupted : WaitEnd::kTimedOut;
}

}  // namespace heddle::ult
