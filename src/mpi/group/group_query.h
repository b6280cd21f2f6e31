// group_query.h — what a program may ask about groups (MPI 5.0 §7.3.1), and their end (§7.3.3).
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/group/group.h"

namespace heddle::group {

Error get_size(const Group& group, int* size);

// The calling process's rank, or MPI_UNDEFINED.
Error get_rank(const Group& group, int* rank);

// Gives the ranks in `to` of the processes that have the given ranks in `from`; MPI_UNDEFINED for a
// process that is no member of `to`.
Error translate(const Group& from, int n, const int ranks[], const Group& to, int translated[]);

// MPI_IDENT, MPI_SIMILAR (same members, other order) or MPI_UNEQUAL.
int relation(const Group& first, const Group& second);
Error compare(const Group& first, const Group& second, int* result);

Error free_group(MPI_Group* handle);

}  // namespace heddle::group
