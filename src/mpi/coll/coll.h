// coll.h — the blocking collectives (MPI 5.0 §6), over point-to-point messages of their own plane.
//
//   operation         intracommunicator                       intercommunicator
//   ----------------  --------------------------------------  -----------------------------------
//   barrier           tree up, tree down                      sides, leaders, sides
//   bcast             tree                                    root to the leader, then tree
//   gather, scatter   the root with each rank                 the same
//   allgather         small: gather, bcast; large: ring       each with each
//   alltoall          each with each, in windows              each with each
//   reduce            tree in rank order                      the side's tree, then to the root
//   allreduce         reduce, bcast; few ranks: doubling      sides reduce, leaders swap, bcast
//   reduce_scatter    reduce, scatter                         sides reduce, leaders swap, scatter
//   scan, exscan      chain                                   not defined
//
// There are usually many ranks on a worker, so what counts is the sum of all messages more than the
// longest path: a tree of 2 (n - 1) messages beats the n log n of dissemination or doubling, and a
// chain beats a logarithmic scan. Trees keep neighbours together (tree.h), because those share a
// worker. The collectives inside the scheduler will take the place of the bodies of barrier.cpp,
// bcast.cpp and reduce.cpp for ranks of one host.
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

Error alltoall(const Pieces& send, const Pieces& receive, Comm& comm);

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
