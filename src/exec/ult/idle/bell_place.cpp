#include "exec/ult/idle/bell_place.h"

#include <atomic>

#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"

namespace heddle::ult {

namespace {
constinit std::atomic<platform::Bell*> the_bell{nullptr};
constinit std::atomic<bool> is_taken{false};
}  // namespace

// seq_cst: as give_bell_back().
void set_host_bell(platform::Bell* bell) noexcept {
  the_bell.exchange(bell, std::memory_order_seq_cst);
  if (bell != nullptr) nudge();
}

platform::Bell* host_bell() noexcept {
  return the_bell.load(std::memory_order_seq_cst);
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
