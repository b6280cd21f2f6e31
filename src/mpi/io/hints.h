// hints.h — the hints of files (MPI 5.0 §14.2.8): which of them are known, and what they are.
//
//   hint                              is used for
//   --------------------------------  ------------------------------------------------------------
//   cb_nodes                          how many members of a process hand the kernel the data of all
//   cb_buffer_size, striping_…,       told back as given
//   access_style, romio_…
//
// Unknown hints, and known ones with values that do not fit, are dropped.
//
// Thread safety: any strand.

#pragma once

#include "mpi/info/info.h"

namespace heddle::io {

// The hints in use: those of `before` (null: none) with what `given` (null: nothing) changes.
object::Ref<info::Info> hints_in_use(const info::Info* before, const info::Info* given);

// At most so many members of a process are aggregators (gather.h).
int aggregators_of(const info::Info& hints);

}  // namespace heddle::io
