// exchange.h — a collective access of several processes, each of which has pieces in the domains of
// others (domains.h): an owner calls the kernel for all pieces in its domain.
//
//   leader of a process                     leader of an owner            pool (pool.h)
//   --------------------------------------  ----------------------------  -----------------------
//   packs what its members have in each
//   owner's window of round k         ────► head, runs, data of a write
//                                           merges them with what its
//                                           own members have              moves round k
//   packs round k + 1                 ────► head, runs, data …            …
//   counts what was moved of round k  ◄──── its end in the file, data of a read
//   and unpacks what was read
//
// Only leaders talk, so many ranks make no more messages than one. Runs of members of a process
// that follow each other in the file travel as one.
//
// Invariants
//   I1  Leaders take the same steps in the same order, and in each step start all receives before
//       they wait for any send.
//   I2  An owner reads and writes its domain alone, and reads nothing to write it back.
//   I3  An owner holds two windows of bytes of others, or more where processes have the same bytes;
//       a leader holds what its members have in the windows of two rounds.
//   I4  Whatever fails, all steps are taken. A leader without memory for a window's bytes tells its
//       owner that it has none; an owner without memory receives them into nothing.
//   I5  A member's count is what was moved of its bytes, by whichever process. An owner tells the
//       offset before which all was moved: members may read the same bytes, so a number of bytes
//       would not say whose.
//
// Thread safety: the strand of a leader, while the board stays as it is (part.h).

#pragma once

#include "base/error.h"
#include "mpi/coll/ticket.h"
#include "mpi/io/domains.h"

namespace heddle::io {

// The leader's part, for all members of its process. `*system_error`: an errno, 0 for none. Returns
// what is wrong with messages. May switch.
Error exchange(Part& part, const Domains& domains, Direction direction, const coll::Ticket& ticket,
               int* system_error);

}  // namespace heddle::io
