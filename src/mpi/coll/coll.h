// coll.h — the blocking collectives (MPI 5.0 §6).
//
//   operation         intracommunicator                       intercommunicator
//   ----------------  --------------------------------------  -----------------------------------
//   barrier           meeting                                 sides, leaders, sides
//   bcast             meeting                                 root to the leader, then its side
//   reduce            meeting                                 the side, then its leader to the root
//   allreduce         meeting                                 sides reduce, leaders swap, bcast
//   gather, scatter   the root with each rank                 the same
//   allgather         small: gather, bcast; large: ring       each with each
//   alltoall          each with each, in windows              each with each
//   reduce_scatter    reduce, scatter                         sides reduce, leaders swap, scatter
//   scan, exscan      chain                                   not defined
//
// "Meeting" is the collective inside the scheduler (meeting.h): no messages, the ranks of a worker
// freeze in a list and go on together. All members of an intracommunicator live in this host today,
// so nothing chooses; barrier_here, bcast_here and Reduction::run are where a stage between hosts
// will be added. The rest are point-to-point messages of their own plane (wire.h):
// with many ranks on a worker what counts is their number more than the longest path, so a chain
// beats a logarithmic scan.
//
// Whoever meets a member in a collective may tell another thread of its rank, which frees what the call
// uses: so each refers to that before it does anything else, for all that it is made of (in_call.h).
//
// A rank whose part fails makes the other parts all the same and tells at the end (first_error.h), so
// that nobody waits for it. Only where memory runs out it returns at once.
//
// All of them may switch. Arguments have been checked; what is not significant at a rank
// (§6.2.3) is not looked at, and MPI_IN_PLACE is understood where the standard has it.
//
// Thread safety: one collective at a time on a communicator, as the standard asks.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/coll/pieces.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"
#include "mpi/op/op.h"

namespace heddle::coll {

using comm::Comm;
using datatype::Buffer;
using datatype::ConstBuffer;

Error barrier(Comm& comm);

Error bcast(Buffer data, int root, Comm& comm);

Error gather(ConstBuffer send, const Pieces& receive, int root, Comm& comm);
Error scatter(const Pieces& send, Buffer receive, int root, Comm& comm);
Error allgather(ConstBuffer send, const Pieces& receive, Comm& comm);

Error alltoall(Pieces send, Pieces receive, Comm& comm);

// `send` has result.count elements of result.type, or is MPI_IN_PLACE. result.data counts at the
// root only.
Error reduce(const void* send, Buffer result, const op::Op& op, int root, Comm& comm);
Error allreduce(const void* send, Buffer result, const op::Op& op, Comm& comm);

// The reduction of all pieces; each rank gets its own at `result`. The counts of `pieces` count,
// with the displacements that follow from them.
Error reduce_scatter(const void* send, void* result, const Pieces& pieces, const op::Op& op,
                     Comm& comm);

Error scan(const void* send, Buffer result, const op::Op& op, Comm& comm);
Error exscan(const void* send, Buffer result, const op::Op& op, Comm& comm);

}  // namespace heddle::coll
