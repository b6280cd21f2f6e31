// checks.h — what calls on windows check in common, and how they name what is wrong.
//
// Thread safety: plain functions.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// Fails if `assertion` has other bits than those of `allowed`, whose names are `names`.
[[gnu::cold, gnu::noinline]] Error bad_assertion(int assertion, const char* names);
inline Error check_assertion(int assertion, int allowed, const char* names) {
  if ((assertion & ~allowed) == 0) [[likely]]
    return {};
  return bad_assertion(assertion, names);
}

// MPI_PROC_NULL is allowed.
[[gnu::cold, gnu::noinline]] Error no_such_rank(int rank, const Window& window);
inline Error check_rank(int rank, const Window& window) {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < window.size())) [[likely]]
    return {};
  return no_such_rank(rank, window);
}

// "the rank has no epoch of the window 0x…; …". `advice` says what is expected.
Error wrong_epoch(Window& window, const char* advice);

}  // namespace heddle::rma
