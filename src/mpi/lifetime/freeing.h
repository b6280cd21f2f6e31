// freeing.h — what a call of the program that frees a managed object does besides: it may run a
// cycle of the collector, and checks what the user has asserted.
//
//   const Freeing freeing;                            before the object is given up, where no lock
//                                                     is held
//   if (Error e = Freeing::check_unused(object, …))   before its handle ends
//
//   HEDDLE_…             here
//   -------------------  --------------------------------------------------------------------------
//   CYCLE_AT=freeing     the destructor runs a cycle if enough objects wait; makers run none
//                        (making.h)
//   LIFETIME=asserted    debug builds refuse to free an object that a pending operation uses
//
// The call has given up its reference by then and holds no lock, so a cycle may take any. An
// internal release starts none: its caller may hold locks that the end of another object takes.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/lifetime/managed.h"

namespace heddle::lifetime {

class Freeing {
 public:
  Freeing() noexcept = default;
  ~Freeing();
  Freeing(Freeing&&) = delete;

  // Fails if a pending operation of the rank uses the object and the policy is `asserted`. Release
  // builds do not look. `argument`: the call's, as "comm"; `error_class`: its kind's.
  [[nodiscard]] static Error check_unused(const Managed& object, int error_class,
                                          const char* argument);
};

}  // namespace heddle::lifetime
