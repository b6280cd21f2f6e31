#include "mpi/object/transient_object.h"

#include "mpi/object/collector.h"

namespace heddle::object {

Transient* take_transient_slow() noexcept {
  collect();
  return TransientCache::of_strand().take();
}

HandleBits publish_in_new_place(TransientObject* object) noexcept {
  const HandleTable::Place place = tables_of_rank.get().of(object->kind()).reserve();
  object->transient_->set_place(place);
  return HandleTable::publish_at(place, object);
}

TransientObject* retire_in_place(Kind kind, HandleBits handle) noexcept {
  if (kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  HandleSlot* const slot = tables_of_rank.get().of(kind).slot_of(handle);
  if (slot == nullptr) return nullptr;
  auto* const object =
      static_cast<TransientObject*>(slot->object.load(std::memory_order_acquire));  // with [R1]
  if (object == nullptr || !HandleTable::retire_at(*slot, handle)) return nullptr;
  object->set_handle(0);
  if (HandleTable::worn_out(*slot)) [[unlikely]]
    object->transient_->set_place({});
  return object;
}

void end_in_place(TransientObject& object, HandleBits handle) noexcept {
  HandleSlot& slot = *object.transient_->place().slot;
  if (!HandleTable::retire_at(slot, handle)) return;
  object.set_handle(0);
  if (HandleTable::worn_out(slot)) [[unlikely]]
    object.transient_->set_place({});
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

}  // namespace heddle::object
