#include "mpi/rma/turnstile.h"

namespace heddle::rma {

Turnstile::Visitor* Turnstile::first_of(int target) noexcept {
  for (Visitor& visitor : visitors_) {
    if (visitor.target_ == target) return &visitor;
  }
  return nullptr;
}

void Turnstile::enter(Visitor& visitor) noexcept {
  bool is_first = false;
  {
    const SpinGuard guard(lock_);
    is_first = first_of(visitor.target_) == nullptr;
    visitors_.push_back(visitor);
  }
  if (!is_first) visitor.let_in_.wait();
}

void Turnstile::leave(Visitor& visitor) noexcept {
  Visitor* next = nullptr;
  {
    const SpinGuard guard(lock_);
    IntrusiveList<Visitor>::erase(visitor);
    next = first_of(visitor.target_);
  }
  if (next != nullptr) next->let_in_.set();
}

}  // namespace heddle::rma
