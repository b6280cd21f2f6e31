// extras.h — what modules above keep of a communicator: one slot each, of which the communicator
// knows no more.
//
//   slot           is filled by          when                                       a duplicate has
//   -------------  --------------------  -----------------------------------------  ---------------
//   kCollectives   mpi/coll, seat.h      with the first collective                  nothing
//   kTopology      mpi/topo, of_comm.h   before the program gets the handle         the same one
//   kFile          mpi/io, file.h        when the file is opened that it is for     nothing
//
// A module takes a slot by a line here and a class that is derived from Extra and names the slot.
// The communicator ends what is in its slots, in the order of the table, when it ends itself: then
// no call uses it any more. Attributes are not kept here, since they are the program's
// (mpi/attribute).
//
// A slot is filled once; an empty one costs eight bytes.
//
// Thread safety: any strand; put and inherit before the program gets the handle. What is in an
// Extra is guarded by its module.

#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace heddle::comm {

enum class ExtraSlot : std::uint8_t { kCollectives, kTopology, kFile, kCount };

class Extra {
 public:
  Extra() = default;
  virtual ~Extra() = default;
  Extra(Extra&&) = delete;

  // What a duplicate of the communicator begins with; null: nothing.
  virtual std::unique_ptr<Extra> for_duplicate() const { return nullptr; }
};

class Extras {
 public:
  Extras() = default;
  ~Extras();
  Extras(Extras&&) = delete;

  // `Own::kSlot` is the slot. nullptr: it is empty.
  template <class Own>
  Own* find() const noexcept {
    // acquire "filled": what fill() has published.
    return static_cast<Own*>(at(Own::kSlot).load(std::memory_order_acquire));
  }
  // Fills an empty slot. Of strands that do so at once, all get what the first has made.
  template <class Own>
  Own& find_or_make() {
    if (Own* found = find<Own>()) [[likely]]
      return *found;
    return make_slow<Own>();
  }

  // Requires that the slot is empty.
  template <class Own>
  void put(std::unique_ptr<Own> extra) noexcept {
    assert(find<Own>() == nullptr);
    fill(Own::kSlot, std::move(extra));
  }
  // Called for a duplicate, which has nothing yet.
  void inherit(const Extras& parent);

 private:
  static constexpr auto kSlots = static_cast<std::size_t>(ExtraSlot::kCount);

  std::atomic<Extra*>& at(ExtraSlot slot) noexcept {
    return slots_[static_cast<std::size_t>(slot)];
  }
  const std::atomic<Extra*>& at(ExtraSlot slot) const noexcept {
    return slots_[static_cast<std::size_t>(slot)];
  }
  Extra& fill(ExtraSlot slot, std::unique_ptr<Extra> extra) noexcept;
  // Out of line: callers are on the way of each collective.
  template <class Own>
  [[gnu::noinline]] Own& make_slow() {
    return static_cast<Own&>(fill(Own::kSlot, std::make_unique<Own>()));
  }

  std::atomic<Extra*> slots_[kSlots] = {};
};

}  // namespace heddle::comm
