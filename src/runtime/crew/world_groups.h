// world_groups.h — the groups of processes that MPI_COMM_WORLD and MPI_COMM_SELF of a rank are made
// of.
//
//   Members::introduce   writes them, before the rank's program runs (members.h)
//   initialize        makes the communicators of them (init.h)
//
// Thread safety: constant once written.

#pragma once

#include "mpi/group/group.h"

namespace heddle::runtime {

struct WorldGroups {
  object::Ref<group::Group> world;
  object::Ref<group::Group> self;
};

// The calling rank's. Requires Rank::current().
WorldGroups& world_groups() noexcept;

}  // namespace heddle::runtime
