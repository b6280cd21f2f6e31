#include "mpi/lifetime/transient_object.h"

#include "mpi/lifetime/collector.h"

namespace heddle::lifetime {

Transient* take_transient_slow() noexcept {
  collect();
  return TransientCache::of_strand().take();
}

object::HandleBits publish_in_new_slot(TransientObject* object) noexcept {
  const object::HandleTable::Reservation reserved =
      object::tables_of_rank.get().of(object->kind()).reserve();
  object->transient_->set_reserved(reserved);
  return object::HandleTable::publish_at(reserved, object);
}

TransientObject* retire_in_slot(object::Kind kind, object::HandleBits handle) noexcept {
  if (object::kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  object::HandleSlot* const slot = object::tables_of_rank.get().of(kind).slot_of(handle);
  if (slot == nullptr) return nullptr;
  auto* const object =
      static_cast<TransientObject*>(slot->object.load(std::memory_order_acquire));  // with [R1]
  bool worn_out = false;
  if (object == nullptr || !object::HandleTable::retire_at(*slot, handle, &worn_out))
    return nullptr;
  object->set_handle(0);
  if (worn_out) [[unlikely]]
    object->transient_->set_reserved({});
  return object;
}

void hand_over_slot(TransientObject& from, TransientObject& to) noexcept {
  const object::HandleTable::Reservation slot = from.transient_->reserved();
  from.transient_->set_reserved(to.transient_->reserved());
  to.transient_->set_reserved(slot);
  to.set_handle(from.handle());
  from.set_handle(0);
  slot.slot->object.store(&to, std::memory_order_release);  // as publish_at() does
  from.release();
}

void end_in_slot(TransientObject& object, object::HandleBits handle) noexcept {
  bool worn_out = false;
  Transient& transient = *object.transient_;
  if (!object::HandleTable::retire_at(*transient.reserved().slot, handle, &worn_out)) return;
  object.set_handle(0);
  if (worn_out) [[unlikely]]
    transient.set_reserved({});
  object.release();
}

void TransientObject::end() const noexcept {
  if (transient_ == nullptr) {
    delete this;
    return;
  }
  Transient& transient = *transient_;
  void* const memory = const_cast<TransientObject*>(this);
  this->~TransientObject();
  if (memory != transient.storage()) ::operator delete(memory);
  TransientCache::of_strand().give_back(transient);
}

}  // namespace heddle::lifetime
