// even_loads.h — the policy that evens out the loads of workers: `mpiexec --balance`, and
// MPIX_Balance without another one.
//
//   repeated: busiest worker ──► the rank whose move makes the difference smallest
//                            ──► least busy worker
//
// Loads count at the workers that have spent them. A rank that moves takes along what its threads
// do on other workers, and so a rank whose threads are spread evenly has nothing to gain. A rank
// goes only if that makes the difference clearly smaller: by a part of the mean load. So it stops
// where each worker is at most one rank's load off. Neighbours stay together: of equal ranks the
// one nearest to those of the other worker goes.
//
// It leaves ranks alone where even the busiest worker is idle nearly all of the time: there ranks
// wait for each other, not for a worker.
//
// Thread safety: a pure function.

#pragma once

#include "heddle/mpix.h"

namespace heddle::runtime {

void even_loads(MPIX_Loads* loads, void* extra_state) noexcept;

}  // namespace heddle::runtime
