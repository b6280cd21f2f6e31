// domains.h — which process calls the kernel for which part of the file, in a collective access of
// several processes.
//
//   file      |……………|-------- domain 0 --------|-------- domain 1 --------|……
//                   ^ first block that has bytes  ^ a block's begin
//             window of round 0: |-----|…         |-----|…
//
// Domain i belongs to the process of Part::leaders()[i]. A window is what is under way in it at a
// time (exchange.h).
//
// Processes exchange data only where that pays. All of this must hold, unless a hint says
// otherwise (hints.h):
//
//   - parts of processes lie between each other: their spans, from a first to a last byte, add
//     up to more than the span of all. Else each process moves long parts alone
//   - they are short: on their own, processes would call the kernel for few bytes at a time, and
//     often
//   - the file does not live in memory, where calls are cheap
//
// And even if hints ask for it: the span is about as long as the bytes. So no time is lost in
// holes, and no memory where all read the same.
//
// Thread safety: a value.

#pragma once

#include "base/error.h"
#include "mpi/coll/ticket.h"
#include "mpi/io/access.h"

namespace heddle::io {

struct Domains {
  int owners = 0;  // 0: each process moves its members' bytes
  MPI_Offset first = 0, end = 0;
  MPI_Offset each = 0, window = 0;  // bytes of a domain, of a window

  int rounds() const noexcept { return static_cast<int>((each + window - 1) / window); }
  // Empty where first >= end.
  Range window_of(int owner, int round) const noexcept;

  bool operator==(const Domains&) const = default;
};

// All members meet, and make the same domains; fails at all if some read and others write. Goes
// through two phases of the ticket, in one process through one. The first begins once the member's
// access is on the board. May switch.
Error meet(const coll::Ticket& ticket, Access& mine, Domains* out);

// What all members know together, of which domains are made.
struct Together {
  MPI_Offset first, end;  // of all bytes
  MPI_Count bytes;
  MPI_Count spans;  // of each process, added up
  MPI_Count calls;  // of the kernel, if each process were alone
  int processes;
};
bool pays(const Together& all, bool is_wanted) noexcept;
// `most`: owners. `buffer`, `block` as in hints.h.
Domains cut(const Together& all, MPI_Count most, MPI_Count buffer, MPI_Count block) noexcept;

}  // namespace heddle::io
