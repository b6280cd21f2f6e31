// transient_object.h — objects that are pending operations: requests and matched messages.
//
//   make_transient<ReceiveRequest>(…)     in a slot of the calling strand's cache, with a Transient
//   make_in_place_of<ReceiveRequest>(…)   in that of a matched message, which ends
//   ReceiveRequest request(…);            on the stack of a blocking call: no Transient, refers to
//                                         nothing; see in_call.h
//
// A transient object is destroyed by a strand of the rank that made it.
//
// Thread safety: as its class says.

#pragma once

#include <new>
#include <utility>

#include "mpi/lifetime/transient_pool.h"
#include "mpi/object/handle_table.h"
#include "mpi/object/object.h"

namespace heddle::lifetime {

class TransientObject : public object::Object {
 public:
  // True if it has a Transient, so that it can keep objects alive.
  bool pooled() const noexcept { return transient_ != nullptr; }

 protected:
  explicit TransientObject(object::Kind kind, Lifetime lifetime = Lifetime::kCounted) noexcept
      : Object(kind, lifetime) {}
  ~TransientObject() override = default;

  // What it refers to until it ends. Once; requires pooled().
  void refer(const Managed* a, const Managed* b, const Managed* c = nullptr) noexcept {
    assert(pooled());
    transient_->refer(a, b, c);
  }
  // For an operation that was made in the place of another one (make_in_place_of): `b` becomes its
  // second reference.
  void refer_also(const Managed* b) noexcept { transient_->refer_also(b); }
  // Null if there is none.
  const Managed* reference(int i) const noexcept {
    return transient_ != nullptr ? transient_->get(i) : nullptr;
  }

  // Inline, like all virtual functions of base classes: tests have RTTI, the library has not.
  void destroy() const noexcept override { end(); }

 private:
  void end() const noexcept;

  template <class T, class... Arguments>
  friend object::Ref<T> make_transient(Arguments&&... arguments) noexcept;
  template <class T, class Last, class... Arguments>
  friend object::Ref<T> make_in_place_of(object::Ref<Last> last, Arguments&&... arguments) noexcept;
  friend object::HandleBits publish_in_slot(TransientObject* object) noexcept;
  friend object::HandleBits publish_in_new_slot(TransientObject* object) noexcept;
  friend TransientObject* retire_in_slot(object::Kind kind, object::HandleBits handle) noexcept;
  friend void hand_over_slot(TransientObject& from, TransientObject& to) noexcept;
  friend void end_in_slot(TransientObject& object, object::HandleBits handle) noexcept;
  friend void end_bare_in_slot(TransientObject& object, object::HandleBits handle) noexcept;

  Transient* transient_ = nullptr;  // constant once made
};

// A Transient of the calling strand's cache; runs a cycle where memory is short. nullptr: none
// left.
Transient* take_transient_slow() noexcept;
[[gnu::always_inline]] inline Transient* take_transient() noexcept {
  Transient* const taken = TransientCache::of_strand().take();
  return taken != nullptr ? taken : take_transient_slow();
}

// publish() and retire() without a lock, for requests: each Transient keeps a place in their table.
// Requires pooled(), and that it has no handle yet.
object::HandleBits publish_in_new_slot(TransientObject* object) noexcept;
[[gnu::always_inline]] inline object::HandleBits publish_in_slot(TransientObject* object) noexcept {
  assert(object->pooled());
  const object::HandleTable::Reservation reserved = object->transient_->reserved();
  if (reserved.slot == nullptr) [[unlikely]]
    return publish_in_new_slot(object);
  return object::HandleTable::publish_at(reserved, object);
}
TransientObject* retire_in_slot(object::Kind kind, object::HandleBits handle) noexcept;

// `to`, which has no handle, gets that of `from`, and the reference that it stands for: the
// caller's one of `to` goes to the handle, and the handle's one of `from` is given up. Both pooled.
// No other strand uses the handle.
void hand_over_slot(TransientObject& from, TransientObject& to) noexcept;

// Retires the handle by which the caller has found the object, and gives up the reference that it
// stood for. Does nothing if another strand has retired it meanwhile.
void end_in_slot(TransientObject& object, object::HandleBits handle) noexcept;

// end_in_slot() for an object whose destructor has nothing to do, and which lies in the storage of
// its Transient.
[[gnu::always_inline]] inline void end_bare_in_slot(TransientObject& object,
                                                    object::HandleBits handle) noexcept {
  Transient& transient = *object.transient_;
  bool worn_out = false;
  if (!object::HandleTable::retire_at(*transient.reserved().slot, handle, &worn_out)) return;
  if (worn_out) [[unlikely]]
    transient.set_reserved({});
  if (!object.is_last_reference()) [[unlikely]] {
    object.set_handle(0);
    return object.release();
  }
  TransientCache::of_strand().give_back(transient);
}

// Makes an object with one reference, the caller's. Null if no memory is left.
template <class T, class... Arguments>
[[gnu::always_inline]] inline object::Ref<T> make_transient(Arguments&&... arguments) noexcept {
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
  return object::Ref<T>::adopt(made);
}

// Ends `last`, of which the caller has the only reference, and makes a T with its Transient: what
// `last` referred to is referred to all the time, so that no cycle misses it.
template <class T, class Last, class... Arguments>
object::Ref<T> make_in_place_of(object::Ref<Last> last, Arguments&&... arguments) noexcept {
  static_assert(sizeof(T) <= TransientCache::kStorage && sizeof(Last) <= TransientCache::kStorage);
  auto* const old = static_cast<TransientObject*>(last.leak());
  Transient* const transient = old->transient_;
  old->~TransientObject();
  auto* made = new (transient->storage()) T(std::forward<Arguments>(arguments)...);
  static_cast<TransientObject*>(made)->transient_ = transient;
  return object::Ref<T>::adopt(made);
}

}  // namespace heddle::lifetime
