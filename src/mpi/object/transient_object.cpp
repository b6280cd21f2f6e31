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
