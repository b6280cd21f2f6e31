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
// "Meeting" is the collective inside the scheduler (meeting.h): the members of a host send no messages,
// those of a worker freeze in a list and go on together. Where the members live on several hosts, one
// of each host talks to those of the other hosts by messages (between.h, slice_exchange.h). The rest are
// point-to-point messages of their own plane (wire.h): with many ranks on a worker their number counts
// more than the longest path, so a chain beats a logarithmic scan.
//
// Each call takes a ticket (ticket.h), which its meetings and messages carry; what it does with the
// ticket is in bodies.h.
//
// Once a member has met others in a collective, another thread of its rank may learn of that and free
// what the call uses. So each call makes its references (in_call.h) before it meets another member.
//
// A rank whose part fails, also for want of memory, makes the other parts all the same and tells at the
// end (first_error.h), so that no rank waits for it in vain.
//
// All of them may switch. Arguments have been checked; what is not significant at a rank
// (§6.2.3) is not looked at, and MPI_IN_PLACE is understood where the standard has it.
//
// Thread safety: one call at a time on a communicator, as the standard asks.

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
