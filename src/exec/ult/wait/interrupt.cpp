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

namespace {
// Parks without a timer where none is needed.
Strand::Parked park(std::int64_t deadline_ns, Strand::Alerts alerts) noexcept {
  if (deadline_ns != platform::kNever) return Strand::park_until(deadline_ns, alerts);
  if (alerts == Strand::Alerts::kHeeds) {
    return Strand::park_unless_alerted() ? Strand::Parked::kWoken : Strand::Parked::kAlerted;
  }
  Strand::park();
  return Strand::Parked::kWoken;
}
}  // namespace

WaitEnd wait(Completion& completion, std::int64_t deadline_ns, Interrupt* interrupt,
             Strand::Alerts alerts) noexcept {
  if (completion.done()) return WaitEnd::kDone;
  Strand& self = Strand::current();
  if (interrupt != nullptr && !interrupt->begin(self)) return WaitEnd::kInterrupted;
  const bool enrolled = completion.enroll(self);
  Strand::Parked parked = Strand::Parked::kTimedOut;
  if (enrolled) parked = park(deadline_ns, alerts);
  int absorbed = int{parked == Strand::Parked::kWoken};
  const bool interrupted = interrupt != nullptr && !interrupt->end(self);
  const bool done = !enrolled || !completion.withdraw(self);
  const int wakes = int{interrupted} + int{enrolled && done};
  for (; absorbed < wakes; ++absorbed) Strand::park();
  if (done) return WaitEnd::kDone;
  if (interrupted) return WaitEnd::kInterrupted;
  return parked == Strand::Parked::kAlerted ? WaitEnd::kAlerted : WaitEnd::kTimedOut;
}

}  // namespace heddle::ult
