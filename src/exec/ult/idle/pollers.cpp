#include "exec/ult/idle/pollers.h"

#include <sched.h>

#include <array>
#include <atomic>
#include <cassert>

#include "base/schedule_point.h"

namespace heddle::ult {

namespace {

// A place for one poller. `users` keeps remove_poller waiting while a thread is inside poll().
//
// seq_cst orders `users` and `poller`: either the user sees that the poller is gone, or the remover
// sees the user.
struct alignas(64) Slot {
  std::atomic<Poller*> poller{nullptr};
  std::atomic<int> users{0};
};
std::array<Slot, 16> slots;

// At and above it every slot is empty, so that polling nothing costs one load.
std::atomic<std::size_t> slots_used{0};

bool poll_slot(Slot& slot, int worker, Look look) noexcept {
  // relaxed: a look ahead; what counts is the load below.
  if (slot.poller.load(std::memory_order_relaxed) == nullptr) return false;
  slot.users.fetch_add(1, std::memory_order_seq_cst);
  Poller* poller = slot.poller.load(std::memory_order_seq_cst);
  const bool progress = poller != nullptr && poller->poll(worker, look);
  slot.users.fetch_sub(1, std::memory_order_release);  // remove_poller's loads see poll()'s effects
  return progress;
}

}  // namespace

bool poll_all(int worker, Look look) noexcept {
  enter_section_without_switch();  // the thread that polls may be halfway through a switch
  bool progress = false;
  const std::size_t used = slots_used.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used; ++i) progress |= poll_slot(slots[i], worker, look);
  leave_section_without_switch();
  return progress;
}

bool have_pollers() noexcept {
  return slots_used.load(std::memory_order_relaxed) != 0;
}

void add_poller(Poller& poller) noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Poller* expected = nullptr;
    if (!slots[i].poller.compare_exchange_strong(expected, &poller, std::memory_order_seq_cst)) {
      continue;
    }
    std::size_t used = slots_used.load(std::memory_order_relaxed);
    while (used <= i && !slots_used.compare_exchange_weak(used, i + 1, std::memory_order_relaxed)) {
    }
    return;
  }
  assert(false && "too many pollers");
}

void remove_poller(Poller& poller) noexcept {
  for (Slot& slot : slots) {
    Poller* expected = &poller;
    if (!slot.poller.compare_exchange_strong(expected, nullptr, std::memory_order_seq_cst))
      continue;
    while (slot.users.load(std::memory_order_seq_cst) != 0) sched_yield();
    return;
  }
  assert(false && "this poller is not registered");
}

}  // namespace heddle::ult
