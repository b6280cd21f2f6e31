#include "mpi/lifetime/transient.h"

namespace heddle::lifetime {

void Transient::count() noexcept {
  for (int i = 0; i < kReferences; ++i) {
    if (const Managed* object = get(i)) object->count_transient();
  }
}

void Transient::discount() noexcept {
  for (int i = 0; i < kReferences; ++i) {
    if (const Managed* object = get(i)) object->discount_transient();
  }
}

}  // namespace heddle::lifetime
