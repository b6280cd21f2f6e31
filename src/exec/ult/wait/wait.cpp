#include "exec/ult/wait.h"

#include "base/schedule_point.h"
#include "exec/ult/alert.h"

namespace heddle::ult {

void Interrupt::request() noexcept {
  schedule_point();
  const std::uintptr_t seen = word_.exchange(kRequested, std::memory_order_acq_rel);  // [A1]
  if (seen != kIdle && seen != kRequested) reinterpret_cast<Strand*>(seen)->wake();
}

bool Interrupt::enroll(Strand& strand) noexcept {
  schedule_point();
  std::uintptr_t expected = kIdle;
  return word_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&strand),
                                       std::memory_order_release,  // [R1]
                                       std::memory_order_acquire);
}

bool Interrupt::withdraw(Strand& strand) noexcept {
  schedule_point();
  std::uintptr_t expected = reinterpret_cast<std::uintptr_t>(&strand);
  return word_.compare_exchange_strong(expected, kIdle, std::memory_order_acquire,
                                       std::memory_order_acquire);
}

namespace {

// With alerts that are answered it ends with kAlerted, too.
WaitEnd wait_once(Completion& completion, const WaitOptions& options) noexcept {
  if (completion.done()) return WaitEnd::kDone;
  Strand& self = Strand::current();
  Interrupt* const interrupt = options.interrupt;
  if (interrupt != nullptr && !interrupt->enroll(self)) return WaitEnd::kCancelled;
  const bool enrolled = completion.enroll(self);
  WaitEnd parked = WaitEnd::kTimedOut;
  if (enrolled) parked = Strand::park_until(options.deadline_ns, options.alerts);
  int absorbed = int{parked == WaitEnd::kDone};
  const bool cancelled = interrupt != nullptr && !interrupt->withdraw(self);
  const bool done = !enrolled || !completion.withdraw(self);
  const int wakes = int{cancelled} + int{enrolled && done};
  for (; absorbed < wakes; ++absorbed) Strand::park();
  if (done) return WaitEnd::kDone;
  return cancelled ? WaitEnd::kCancelled : parked;
}

}  // namespace

WaitEnd wait(Completion& completion, const WaitOptions& options) noexcept {
  const bool spins = options.interrupt == nullptr && options.deadline_ns == platform::kNever &&
                     options.alerts != Alerts::kIgnores;
  if (spins && completion.spin()) return WaitEnd::kDone;
  for (;;) {
    const WaitEnd end = wait_once(completion, options);
    if (end != WaitEnd::kAlerted || options.alerts != Alerts::kAnswers) return end;
    answer_alert();
  }
}

}  // namespace heddle::ult
