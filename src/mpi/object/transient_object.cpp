#include "mpi/object/transient_object.h"

#include "mpi/object/lifetimes.h"

namespace heddle::object {

Transient* take_transient() noexcept {
  TransientCache& cache = TransientCache::of_strand();
  if (Transient* taken = cache.take()) [[likely]]
    return taken;
  collect();
  return cache.take();
}

HandleBits publish_in_place(TransientObject* object) noexcept {
  assert(object->pooled());
  HandleTable& table = tables_of_rank.get().of(object->kind());
  Transient& transient = *object->transient_;
  if (transient.place() == Transient::kNoPlace) [[unlikely]]
    transient.set_place(table.reserve());
  return table.publish_at(transient.place(), object);
}

TransientObject* retire_in_place(Kind kind, HandleBits handle) noexcept {
  if (kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  HandleTable& table = tables_of_rank.get().of(kind);
  auto* object = static_cast<TransientObject*>(table.retire_at(handle));
  if (object != nullptr && table.worn_out_by(handle)) [[unlikely]]
    object->transient_->set_place(Transient::kNoPlace);
  return object;
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
