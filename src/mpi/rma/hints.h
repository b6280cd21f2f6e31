// hints.h — the info keys of windows (MPI 5.0 §12.2.1): which are known, and what get_info tells.
//
//   key                           what it does here
//   ----------------------------  ---------------------------------------------------------------
//   no_locks                      MPI_Win_lock and its kin are errors
//   alloc_shared_noncontig        each member's memory begins on a page of its own
//   mpi_minimum_memory_alignment  memory that the window takes is aligned so (memory.h)
//   the others of kKnown          remembered: keeping what they promise costs nothing, and what
//                                 they allow gains nothing
//
// Thread safety: plain functions.

#pragma once

#include "mpi/info/info.h"

namespace heddle::rma {

// All known keys with their values: what `given` says, else what `before` says, else the default.
// Both may be null. Values that make no sense are ignored, as MPI allows.
object::Ref<info::Info> hints_in_use(const info::Info* before, const info::Info* given);

// True if the key has the value "true".
bool is_set(const info::Info& hints, const char* key);

}  // namespace heddle::rma
