#include "mpi/comm/extras.h"

namespace heddle::comm {

Extras::~Extras() {
  // relaxed: the last reference to the communicator has been given up.
  for (std::atomic<Extra*>& slot : slots_) delete slot.load(std::memory_order_relaxed);
}

Extra& Extras::fill(ExtraSlot slot, std::unique_ptr<Extra> extra) noexcept {
  Extra* there = nullptr;
  // release "filled": the extra's construction, to find(). acquire: the other's, if another strand
  // was first.
  if (at(slot).compare_exchange_strong(there, extra.get(), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
    return *extra.release();
  }
  return *there;
}

void Extras::inherit(const Extras& parent) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    const Extra* const extra = parent.slots_[i].load(std::memory_order_acquire);  // "filled"
    if (extra == nullptr) continue;
    if (auto mine = extra->for_duplicate()) fill(static_cast<ExtraSlot>(i), std::move(mine));
  }
}

}  // namespace heddle::comm
