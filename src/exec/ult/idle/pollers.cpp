#include "exec/ult/idle/pollers.h"

#include <sched.h>

#include <array>
#include <atomic>
#include <cassert>
#include <memory>

#include "base/standing.h"

namespace heddle::ult {

namespace {

// A place for one poller. `users` keeps remove_poller waiting while a thread is inside poll().
//
// seq_cst orders `users` and `poller`: either the user sees that the poller is gone, or the remover
// sees the user.
struct alignas(64) PollerSlot {
  std::atomic<Poller*> poller{nullptr};
  std::atomic<int> users{0};
};
// Slots are never freed: a thread may be looking at one.
struct PollerSlots {
  std::array<PollerSlot, 16> each;
  std::atomic<std::size_t> used{0};  // at and above it every slot is empty
  std::atomic<PollerSlots*> more{nullptr};
};
PollerSlots first;

// True if a slot of these was free and has the poller now.
bool add_to(PollerSlots& slots, Poller& poller) noexcept {
  for (std::size_t i = 0; i < slots.each.size(); ++i) {
    Poller* expected = nullptr;
    if (!slots.each[i].poller.compare_exchange_strong(expected, &poller,
                                                      std::memory_order_seq_cst)) {
      continue;
    }
    std::size_t used = slots.used.load(std::memory_order_relaxed);
    while (used <= i && !slots.used.compare_exchange_weak(used, i + 1, std::memory_order_relaxed)) {
    }
    return true;
  }
  return false;
}

// The slots behind these, which are made if there are none.
PollerSlots& more_than(PollerSlots& slots) noexcept {
  PollerSlots* more = slots.more.load(std::memory_order_acquire);
  if (more != nullptr) return *more;
  auto made = std::make_unique<PollerSlots>();
  // acq_rel: the threads that poll see empty slots.
  if (slots.more.compare_exchange_strong(more, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *more;
}

// True if the poller was in one of these slots, and no thread is inside its poll() any more.
bool remove_from(PollerSlots& slots, Poller& poller) noexcept {
  for (PollerSlot& slot : slots.each) {
    Poller* expected = &poller;
    if (!slot.poller.compare_exchange_strong(expected, nullptr, std::memory_order_seq_cst))
      continue;
    while (slot.users.load(std::memory_order_seq_cst) != 0) sched_yield();
    return true;
  }
  return false;
}

bool poll_slot(PollerSlot& slot, int worker, PollEffort effort) noexcept {
  // relaxed: a look ahead; what counts is the load below.
  if (slot.poller.load(std::memory_order_relaxed) == nullptr) return false;
  slot.users.fetch_add(1, std::memory_order_seq_cst);
  Poller* poller = slot.poller.load(std::memory_order_seq_cst);
  const bool progress = poller != nullptr && poller->poll(worker, effort);
  slot.users.fetch_sub(1, std::memory_order_release);  // remove_poller's loads see poll()'s effects
  return progress;
}

}  // namespace

bool poll_all(int worker, PollEffort effort) noexcept {
  Standing::enter(Standing::kSection);  // the thread that polls may be halfway through a switch
  bool progress = false;
  for (PollerSlots* slots = &first; slots != nullptr;
       slots = slots->more.load(std::memory_order_acquire)) {
    const std::size_t used = slots->used.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < used; ++i) progress |= poll_slot(slots->each[i], worker, effort);
  }
  Standing::leave(Standing::kSection);
  return progress;
}

bool have_pollers() noexcept {
  return first.used.load(std::memory_order_relaxed) != 0;  // these are filled first
}

void add_poller(Poller& poller) noexcept {
  PollerSlots* slots = &first;
  while (!add_to(*slots, poller)) slots = &more_than(*slots);
}

void remove_poller(Poller& poller) noexcept {
  PollerSlots* slots = &first;
  while (slots != nullptr && !remove_from(*slots, poller)) {
    slots = slots->more.load(std::memory_order_acquire);
  }
  assert(slots != nullptr && "this poller is not registered");
}

}  // namespace heddle::ult
