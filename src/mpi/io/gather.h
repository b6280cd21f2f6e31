// gather.h — a collective access inside one process: a few members hand the kernel lists that point
// into the buffers of all.
//
//   file     |A0..|B0..|A1..|B1..|C0..|D0..|C1..|D1..|
//            └──── by member A ───┘└──── by member C ──┘      the aggregators' ranges
//
// Each aggregator merges the members' pieces in its range by their offsets, and so writes (or
// reads) long adjacent parts with few calls. No byte is copied but by the kernel, and none is read
// to be written back. One or two aggregators are enough where the kernel locks a file for each
// write; the hint cb_nodes asks for more.
//
// Members whose views overlap themselves move their own bytes.
//
// Thread safety: an aggregator's own, while the board stays as it is (part.h).

#pragma once

#include "mpi/io/access.h"

namespace heddle::io {

// The part of a collective access of all members here that the member `index` does. Requires that
// all are on the board. An errno, 0 on success. May switch.
int gather(Part& part, int index, int most_aggregators);

}  // namespace heddle::io
