// transient.h — the references of one pending operation to the objects that it needs.
//
// Transients live in a rank's TransientPool, where the collector finds them without asking any
// strand. What a transient refers to is stored as plain pointers; whether they count is the
// policy's matter. An operation that needs more objects than fit here holds Refs to the others.
//
// Invariants
//   I1  A reference is made by a holder of another one: the program's handle, or another
//       Transient that is cleared later than this one. A Ref is not enough, unless the object has
//       its handle: the count says nothing of what the last cycle has seen.
//   I2  References are cleared before the transient is given back, and after the last use.
//   I3  They are made before another strand can learn of the operation: a strand that meets it may
//       tell another thread of the rank, which then frees what it uses.
//   I4  An operation that becomes another one keeps its transient (make_in_place_of): a cycle that
//       looked at the second one's before and at the first one's after would miss a copy.
//
// Memory order
//   [R1] release, pairs with the acquire of the collector: what is found cleared is no longer used.
//
// Thread safety: refer() and clear() one strand at a time; get() any strand at any time.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/schedule_point.h"
#include "mpi/lifetime/managed.h"
#include "mpi/object/handle_table.h"

namespace heddle::lifetime {

class Transient {
 public:
  static constexpr int kReferences = 3;

  Transient() noexcept = default;
  Transient(Transient&&) = delete;

  // Null is allowed. Requires that it refers to nothing. May switch in debug builds.
  void refer(const Managed* a, const Managed* b, const Managed* c = nullptr) noexcept {
    schedule_point();
    put(a, b, c);
    if (transients_count()) count();
  }
  // Besides what it refers to already, one object at most.
  void refer_also(const Managed* b) noexcept {
    references_[1].store(b, std::memory_order_release);  // [R1]
    if (b != nullptr && transients_count()) b->count_transient();
  }
  void clear() noexcept {
    if (transients_count()) discount();
    put(nullptr, nullptr, nullptr);
  }

  const Managed* get(int i) const noexcept {
    return references_[static_cast<std::size_t>(i)].load(std::memory_order_acquire);
  }

  // Room for the operation itself; null in a Transient of a strand (in_call.h).
  void* storage() const noexcept { return storage_; }
  // The index in its chunk (transient_pool.h).
  std::uint32_t index() const noexcept { return index_; }
  void set_home(void* storage, std::uint32_t index) noexcept {
    storage_ = storage;
    index_ = index;
  }

  // The slot in the table of requests that its requests have, one after the other; without a slot
  // until the first one. Of the strand that has taken it.
  object::HandleTable::Reservation reserved() const noexcept { return {slot_, low_half_}; }
  void set_reserved(object::HandleTable::Reservation reserved) noexcept {
    slot_ = reserved.slot;
    low_half_ = reserved.low_half;
  }

 private:
  void put(const Managed* a, const Managed* b, const Managed* c) noexcept {
    references_[0].store(a, std::memory_order_release);  // [R1], all three
    references_[1].store(b, std::memory_order_release);
    references_[2].store(c, std::memory_order_release);
  }
  void count() noexcept;
  void discount() noexcept;

  std::array<std::atomic<const Managed*>, kReferences> references_{};
  void* storage_ = nullptr;  // constant once the pool has made it, like index_
  object::HandleSlot* slot_ = nullptr;
  std::uint32_t low_half_ = 0;  // of its handles
  std::uint32_t index_ = 0;
};
static_assert(sizeof(Transient) == 48);  // the collector looks at one after the other

}  // namespace heddle::lifetime
