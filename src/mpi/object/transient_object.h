// transient_object.h — objects that are pending operations: requests and matched messages.
//
//   make_transient<ReceiveRequest>(…)   in a slot of the calling strand's cache, with a Transient
//   ReceiveRequest request(…);          on the stack of a blocking call: no Transient, refers to
//                                       nothing; see in_call.h
//
// A transient object is destroyed by a strand of the rank that made it.
//
// Thread safety: as its class says.

#pragma once

#include <new>
#include <utility>

#include "mpi/object/object.h"
#include "mpi/object/transient_pool.h"

namespace heddle::object {

class TransientObject : public Object {
 public:
  // True if it has a Transient, so that it can keep objects alive.
  bool pooled() const noexcept { return transient_ != nullptr; }

 protected:
  explicit TransientObject(Kind kind) noexcept : Object(kind) {}
  ~TransientObject() override = default;

  // What it refers to until it ends. Once; requires pooled().
  void refer(const Managed* a, const Managed* b, const Managed* c = nullptr) noexcept {
    assert(pooled());
    transient_->refer(a, b, c);
  }
  // Null if there is none.
  const Managed* reference(int i) const noexcept {
    return transient_ != nullptr ? transient_->get(i) : nullptr;
  }

  // Inline, like all virtual functions of base classes: tests have RTTI, the library has not.
  void destroy() const noexcept override { end(); }

 private:
  void end() const noexcept;

  template <class T, class... Arguments>
  friend Ref<T> make_transient(Arguments&&... arguments) noexcept;

  Transient* transient_ = nullptr;  // constant once made
};

// A Transient of the calling strand's cache; runs a cycle where memory is short. nullptr: none left.
Transient* take_transient() noexcept;

// With one reference, the caller's. Null if no memory is left.
template <class T, class... Arguments>
Ref<T> make_transient(Arguments&&... arguments) noexcept {
  Transient* const transient = take_transient();
  if (transient == nullptr) return {};
  void* memory = transient->storage();
  if constexpr (sizeof(T) > TransientCache::kStorage) {  // rare classes
    memory = ::operator new(sizeof(T), std::nothrow);
    if (memory == nullptr) {
      TransientCache::of_strand().give_back(*transient);
      return {};
    }
  }
  auto* made = new (memory) T(std::forward<Arguments>(arguments)...);
  assert(static_cast<void*>(static_cast<TransientObject*>(made)) == memory);
  static_cast<TransientObject*>(made)->transient_ = transient;
  return Ref<T>::adopt(made);
}

}  // namespace heddle::object
