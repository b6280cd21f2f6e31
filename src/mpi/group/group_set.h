// group_set.h — the algebra of groups (MPI 5.0 §7.3.2): new groups from old ones.
//
// Results that have no member are MPI_GROUP_EMPTY. Arguments are checked: ranks must be in the
// group, ranges must have a stride, and a rank may not be named twice.
//
// Cost: O(size) expected, by a hash of the members. Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/group/group.h"

namespace heddle::group {

using Range = int[3];  // first, last, stride

Error make_union(const Group& first, const Group& second, Group** out);
Error make_intersection(const Group& first, const Group& second, Group** out);
Error make_difference(const Group& first, const Group& second, Group** out);

Error include(const Group& from, int n, const int ranks[], Group** out);
Error exclude(const Group& from, int n, const int ranks[], Group** out);
Error include_ranges(const Group& from, int n, const Range ranges[], Group** out);
Error exclude_ranges(const Group& from, int n, const Range ranges[], Group** out);

}  // namespace heddle::group
