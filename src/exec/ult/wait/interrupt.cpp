#include "exec/ult/interrupt.h"

#include "base/schedule_point.h"

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

}  // namespace heddle::ult
