// singleton.h — a program that was started directly, without mpiexec (MPI 5.0 §11.8.2): one rank,
// whose strands are the kernel threads of the process.
//
// Thread safety: any strand.

#pragma once

#include "base/error.h"

namespace heddle::runtime {

// Makes the calling process a job of one rank and its caller a strand of it. No workers are
// started: a waiting kernel thread parks on a futex. Lasts until the process ends.
Error start_singleton();

// True if the process is a singleton's; the calling kernel thread is then one of its strands. For
// threads that were never entered into the rank, such as those that a library made before MPI_Init.
bool adopt_strand() noexcept;

}  // namespace heddle::runtime
