// place.h — what a call touches at its target, and whether it may.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// What a call touches at its target.
struct Place {
  int rank;
  MPI_Count displacement;  // in the target's units; in a dynamic window an address
  MPI_Count count;
  const datatype::Datatype* type;
};

enum class Needs { kAnyEpoch, kLocks };

// The address of the displacement. Fails unless the target is a member, the rank has such an epoch
// there, and all bytes that the place says lie in the target's memory. No bytes lie anywhere.
Error reach(const Place& place, Window& window, Needs needs, std::byte** address);

}  // namespace heddle::rma
