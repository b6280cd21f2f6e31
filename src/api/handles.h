// handles.h — from objects to the handles that MPI functions give out, and handles as integers.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "mpi/object/handle_table.h"
#include "mpi/request/lookup.h"

namespace heddle::api {

// The handle of an object that a call gives out; takes over the caller's reference. `null` is the
// handle for no object.
template <class Handle, class T>
[[gnu::always_inline]] inline Handle handle_of(T* object, Handle null) noexcept {
  // Found by argument: requests have a publish() of their own.
  return object == nullptr ? null : reinterpret_cast<Handle>(publish(object));
}

// The `_toint`, `_fromint`, c2f and f2c functions (§19.3.4): the ABI's constants are their own
// numbers; a value that is no handle becomes 0, and a number that belongs to no handle becomes
// `null`.
int bits_to_int(object::HandleBits handle) noexcept;
object::HandleBits bits_from_int(int value, object::HandleBits null) noexcept;

template <class Handle>
int to_int(Handle handle) noexcept {
  return bits_to_int(reinterpret_cast<object::HandleBits>(handle));
}
template <class Handle>
Handle from_int(int value, Handle null) noexcept {
  return reinterpret_cast<Handle>(bits_from_int(value, reinterpret_cast<object::HandleBits>(null)));
}

}  // namespace heddle::api
