#include "mpi/object/handle_table.h"

namespace heddle::object {

void HandleTable::prepare(Kind kind, std::uint32_t generation) noexcept {
  kind_ = kind;
  first_generation_ = generation;
  for (HandleSlot& slot : direct_) slot.generation.store(generation, std::memory_order_relaxed);
}

HandleTable::~HandleTable() {
  assert(is_valid());
  for (std::atomic<HandleSlot*>& block : indirect_) {
    delete[] block.load(std::memory_order_relaxed);  // relaxed: no other strand is left
  }
}

HandleBits HandleTable::publish(Object* object) noexcept {
  SpinGuard guard(lock_);
  const HandleBits known = object->handle();
  if (kind_bits(known) == static_cast<std::uint32_t>(kind_) && find(known) == object) {
    ++used_slot(index_of(known)).next_or_users;  // I4
    return known;
  }
  const std::uint32_t index = take_free();
  HandleSlot& slot = used_slot(index);
  const HandleBits handle = compose(index, slot.generation.load(std::memory_order_relaxed));
  slot.next_or_users = 1;
  object->set_handle(handle);
  slot.object.store(object, std::memory_order_release);  // [R1]
  return handle;
}

Object* HandleTable::find_and_retain(HandleBits handle) noexcept {
  // A strand that retires the handle needs the lock before it gives up its reference.
  SpinGuard guard(lock_);
  Object* object = find(handle);
  if (object != nullptr) object->retain();
  return object;
}

Object* HandleTable::retire(HandleBits handle) noexcept {
  SpinGuard guard(lock_);
  Object* object = find(handle);
  if (object == nullptr) return nullptr;
  const std::uint32_t index = index_of(handle);
  HandleSlot& slot = used_slot(index);
  if (--slot.next_or_users > 0) return object;

  // relaxed: nothing is handed to a reader by taking something away.
  slot.object.store(nullptr, std::memory_order_relaxed);
  const std::uint32_t generation = slot.generation.load(std::memory_order_relaxed) + 1;
  slot.generation.store(generation, std::memory_order_relaxed);
  object->lose_handle();
  if (generation != first_generation_) {  // I1; else it is worn out
    slot.next_or_users = free_;
    free_ = index;
  }
  return object;
}

HandleTable::Reservation HandleTable::reserve() noexcept {
  SpinGuard guard(lock_);
  const std::uint32_t index = take_free();
  HandleSlot& slot = used_slot(index);
  slot.next_or_users = first_generation_;
  return {&slot, static_cast<std::uint32_t>(compose(index, 0))};
}

std::uint32_t HandleTable::take_free() noexcept {
  if (free_ != kNone) {
    const std::uint32_t index = free_;
    free_ = used_slot(index).next_or_users;
    return index;
  }
  const std::uint32_t index = used_++;
  assert(index < (1u << kIndexBits) - 1);  // the last one is kFinishedHandle's
  // Powers of two from kDirect on begin a block.
  if (index >= kDirect && std::has_single_bit(index)) add_block(block_of(index));
  return index;
}

void HandleTable::add_block(std::uint32_t block) noexcept {
  const std::size_t count = std::size_t{kDirect} << block;
  HandleSlot* slots = new HandleSlot[count];
  for (std::size_t i = 0; i < count; ++i) {
    slots[i].generation.store(first_generation_, std::memory_order_relaxed);
  }
  indirect_[block].store(slots, std::memory_order_release);  // [R2]
}

bool HandleTable::is_valid() const noexcept {
  SpinGuard guard(lock_);
  std::uint32_t length = 0;
  for (std::uint32_t index = free_; index != kNone; index = slot_at(index)->next_or_users) {
    if (index >= used_ || ++length > used_) return false;
    // relaxed: free slots are written with the lock.
    if (slot_at(index)->object.load(std::memory_order_relaxed) != nullptr) return false;
  }
  return true;
}

std::size_t HandleTable::live_count() const noexcept {
  assert(is_valid());
  SpinGuard guard(lock_);
  std::size_t live = 0;
  for (std::uint32_t index = 0; index < used_; ++index) {
    const HandleSlot* const slot = slot_at(index);
    // relaxed: a number that may be out of date when it is read.
    if (slot->object.load(std::memory_order_relaxed) != nullptr) ++live;
  }
  return live;
}

Object* HandleTable::find_by(bool (*is_wanted)(const Object& object, std::uint64_t wanted),
                             std::uint64_t wanted) const noexcept {
  SpinGuard guard(lock_);
  for (std::uint32_t index = 0; index < used_; ++index) {
    Object* const object = slot_at(index)->object.load(std::memory_order_acquire);  // [A1]
    if (object != nullptr && is_wanted(*object, wanted)) return object;
  }
  return nullptr;
}

void HandleTable::release_all() noexcept {
  for (std::uint32_t index = 0; index < used_; ++index) {
    HandleSlot& slot = used_slot(index);
    Object* object = slot.object.exchange(nullptr, std::memory_order_relaxed);
    if (object == nullptr) continue;
    for (std::uint32_t i = slot.next_or_users; i > 0; --i) object->release();
  }
}

const RankLocal<HandleTables, Place::kHandles> tables_of_rank;

HandleTables::HandleTables() noexcept {
  const auto number = static_cast<std::uint32_t>(Rank::current()->number());
  for (int kind = 1; kind < kKinds; ++kind) {
    // An odd factor: different ranks start at different generations, far apart.
    of(static_cast<Kind>(kind)).prepare(static_cast<Kind>(kind), (number + 1) * 0x9E3779B1u);
  }
}

HandleTables::~HandleTables() {
  for (int kind = 1; kind < kKinds; ++kind) {
    // Others may still hold a request or a message that is on its way: a port, or another rank.
    if (kind == int(Kind::kRequest) || kind == int(Kind::kMessage)) continue;
    of(static_cast<Kind>(kind)).release_all();
  }
}

HandleBits publish(Object* object) noexcept {
  if (const HandleBits handle = object->handle(); handle != 0 && is_constant(handle)) {
    object->release();
    return handle;
  }
  return tables_of_rank.get().of(object->kind()).publish(object);
}

Object* find_and_retain(Kind kind, HandleBits handle) noexcept {
  if (kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  return tables_of_rank.get().of(kind).find_and_retain(handle);
}

Object* retire(Kind kind, HandleBits handle) noexcept {
  if (kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  return tables_of_rank.get().of(kind).retire(handle);
}

int to_int(HandleBits handle) noexcept {
  return static_cast<int>(handle);
}

Object* find_by(Kind kind, bool (*is_wanted)(const Object& object, std::uint64_t wanted),
                std::uint64_t wanted) noexcept {
  return tables_of_rank.get().of(kind).find_by(is_wanted, wanted);
}

std::size_t live_count(Kind kind) noexcept {
  return tables_of_rank.get().of(kind).live_count();
}

}  // namespace heddle::object
