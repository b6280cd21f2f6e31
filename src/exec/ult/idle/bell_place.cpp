#include "exec/ult/idle/bell_place.h"

#include <atomic>

#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"

namespace heddle::ult {

namespace {
constinit std::atomic<platform::Bell*> the_bell{nullptr};
constinit std::atomic<bool> is_taken{false};
constinit std::atomic<std::uint64_t> before_sleep{0};
}  // namespace

// seq_cst: as give_bell_back().
void set_host_bell(platform::Bell* bell) noexcept {
  the_bell.exchange(bell, std::memory_order_seq_cst);
  if (bell != nullptr) nudge();
}

platform::Bell* host_bell() noexcept {
  return the_bell.load(std::memory_order_seq_cst);
}

// release: the last look comes before. A number that is read too late does no harm: what ends the
// sleep has rung the bell.
void note_rings_before_sleep(std::uint32_t rings) noexcept {
  before_sleep.store(std::uint64_t{rings} + 1, std::memory_order_release);
}

void forget_rings_before_sleep() noexcept {
  before_sleep.store(0, std::memory_order_relaxed);
}

std::uint64_t rings_before_sleep() noexcept {
  return before_sleep.load(std::memory_order_acquire);
}

platform::Bell* take_bell() noexcept {
  platform::Bell* const bell = host_bell();
  if (bell == nullptr || is_taken.exchange(true, std::memory_order_seq_cst)) return nullptr;
  return bell;
}

void give_bell_back() noexcept {
  is_taken.exchange(false, std::memory_order_seq_cst);
  nudge();
}

}  // namespace heddle::ult
