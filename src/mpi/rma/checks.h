// checks.h — what calls on windows check in common, and how they name what is wrong.
//
// Thread safety: plain functions.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// Fails if `assertion` has other bits than those of `allowed`, whose names are `names`.
Error check_assertion(int assertion, int allowed, const char* names);

// MPI_PROC_NULL is allowed.
Error check_rank(int rank, const Window& window);

// "the rank has no epoch of the window 0x…; …". `advice` says what is expected.
Error wrong_epoch(Window& window, const char* advice);

}  // namespace heddle::rma
