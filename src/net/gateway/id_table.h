// id_table.h — names for objects of this host that other hosts send back to us.
//
//   Id   | generation, 32 bits | index + 1, 32 bits |       0 is no name
//
// A pointer would do as long as no host errs; a name that is stale or garbage finds nothing.
//
// Thread safety: any thread; a SpinLock guards all. Only the predicates run with it.

#pragma once

#include <cstdint>
#include <vector>

#include "base/spin_lock.h"

namespace heddle::gateway {

using Id = std::uint64_t;

template <class T>
class IdTable {
 public:
  Id add(T& object) {
    SpinGuard guard(lock_);
    if (free_ == kNone) {
      slots_.push_back({nullptr, 0, kNone});
      free_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t index = free_;
    IdSlot& slot = slots_[index];
    free_ = slot.next_free;
    slot.object = &object;
    return Id{slot.generation} << 32 | (index + 1);
  }

  // The object with this name if it is as `fits(const T&)` wants it, else nullptr.
  template <class Fits>
  T* find(Id id, Fits&& fits) {
    SpinGuard guard(lock_);
    IdSlot* slot = slot_of(id);
    return slot != nullptr && fits(*slot->object) ? slot->object : nullptr;
  }

  // Finds the object as find() does, and ends its name: no other strand gets the object by it.
  template <class Fits>
  T* take(Id id, Fits&& fits) {
    SpinGuard guard(lock_);
    IdSlot* slot = slot_of(id);
    if (slot == nullptr || !fits(*slot->object)) return nullptr;
    T* object = slot->object;
    slot->object = nullptr;
    ++slot->generation;
    slot->next_free = free_;
    free_ = static_cast<std::uint32_t>(slot - slots_.data());
    return object;
  }

  // Visits all objects that are left, when no other strand uses the table.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (IdSlot& slot : slots_) {
      if (slot.object != nullptr) visit(*slot.object);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct IdSlot {
    T* object;  // nullptr: free
    std::uint32_t generation;
    std::uint32_t next_free;
  };

  // nullptr if it names nothing.
  IdSlot* slot_of(Id id) noexcept {
    const std::uint64_t index = (id & 0xffffffffu) - 1;  // of 0: too large
    if (index >= slots_.size()) return nullptr;
    IdSlot& slot = slots_[index];
    return slot.object != nullptr && slot.generation == id >> 32 ? &slot : nullptr;
  }

  // Lock: guards the rest: names that other hosts send back.
  SpinLock lock_;
  std::vector<IdSlot> slots_;
  std::uint32_t free_ = kNone;
};

}  // namespace heddle::gateway
