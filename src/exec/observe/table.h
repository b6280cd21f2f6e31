// table.h — the table of `mpiexec --stats`, from the figures of all ranks and workers.
//
// Thread safety: any thread.

#pragma once

#include <span>
#include <string>

#include "exec/observe/figures.h"

namespace heddle::observe {

// `workers_each`: how many of the workers one process has, in order; those that have told nothing
// are left out.
std::string table_of(std::span<const RankFigures> ranks, std::span<const WorkerFigures> workers,
                     int workers_each);

}  // namespace heddle::observe
