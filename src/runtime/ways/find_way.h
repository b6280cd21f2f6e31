// find_way.h — which way a process has: it follows from what has started it.
//
// Thread safety: once, before any rank runs.

#pragma once

#include <memory>
#include <optional>

#include "base/error.h"
#include "runtime/ways/start_bound.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

// The way of this process. `memory`: what mpiexec has handed over (JobBoard::join). If that is
// nothing, another launcher is asked, and `most` says how long the job may take to come to be;
// none: this process is alone.
Error find_way(int memory, std::optional<Silences> most, std::unique_ptr<Way>* found);

}  // namespace heddle::runtime
