// hints.h — the hints of files (MPI 5.0 §14.2.8): which of them are known, and what they do.
//
//   hint                                 what it says of collective accesses
//   -----------------------------------  ---------------------------------------------------------
//   cb_nodes                             how many ranks at most call the kernel for others; usually
//                                        two a node
//   cb_buffer_size                       bytes of other processes that one of them holds at a time
//   cb_block_size, else striping_unit    domains of a file end at its multiples (domains.h)
//   romio_cb_write, romio_cb_read,       may processes exchange data? disable, enable, or automatic:
//   else collective_buffering            where it pays (domains.h). false is disable
//   striping_factor, access_style, …     nothing; told back as given
//
// Unknown hints, and known ones with values that do not fit, are dropped.
//
// Thread safety: any strand.

#pragma once

#include "mpi/info/info.h"
#include "mpi/io/mover.h"

namespace heddle::io {

// The hints in use: those of `before` (null: none) with what `given` (null: nothing) changes.
// `nodes`: that the members are on.
object::Ref<info::Info> hints_in_use(const info::Info* before, const info::Info* given, int nodes);

// What hints say of collective accesses in one direction.
struct CollectiveHints {
  enum class Exchange { kAlways, kWherePays, kNever };

  static CollectiveHints of(const info::Info& hints, Direction direction);

  Exchange exchange = Exchange::kWherePays;
  MPI_Count nodes = 2;
  MPI_Count buffer = 4 << 20;
  MPI_Count block = 64 << 10;
};

}  // namespace heddle::io
