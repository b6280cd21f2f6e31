// uses.h — the uses that a rank makes of the library: one from MPI_Init to MPI_Finalize, and one of
// each open session.
//
//   MPI_Init          MPI_Finalize
//      ├─────────────────┤
//            ├───────────────┤                ├──────┤
//      Session_init   Session_finalize   Session_init … opened again
//      1     2           1   0                1      0
//
// The first use makes what all of them need, the last one ends what the library has done for the
// rank: helpers, freed requests and objects, and packets that wait to be sent. Before, it waits for
// what other ranks may still need: requests of sessions that were freed while active, and buffered
// messages that lie here (decision 130).
//
// Invariants
//   I1  Rank::uses is above 0 exactly while functions of MPI may be called.
//   I2  A use that begins while the last one ends waits until that has ended.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::runtime {

// Makes the caller a rank if it is none. May switch.
Error begin_use();

// Fails, and the use goes on, if it is the last one and collectives are under way that were
// started. While the last one waits for other ranks it goes on, too: another use may begin, which
// is then the last. May switch.
Error end_use();

// Takes what MPI_Finalize has taken from the program. It ends with the last use, after requests
// that were freed while active: they may refer to it.
void end_with_last_use(comm::Predefined ended) noexcept;

}  // namespace heddle::runtime
