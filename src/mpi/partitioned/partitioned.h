// partitioned.h — partitioned communication: a message whose partitions the sender's threads hand
// over one by one (MPI 5.0 §4.2).
//
//   sender                         receiver
//   Psend_init ── offer ─────────► Precv_init  once: they are paired, in the order of these calls
//   Start                          Start       each round:
//   Pready(2) ──┐
//   Pready(0) ──┼─ copied ───────► Parrived?   on one host: straight into the receiver's buffer
//               │                              (handover.h)
//   Pready(1) ──┘                              between hosts: each partition is a message
//   Wait                           Wait
//
// Both sides may divide the message differently. The sender's partitions are what travels; a
// partition of the receiver has arrived when all of those have that it overlaps; one without bytes,
// when the round is over.
//
// The offer is matched as a message of its own plane, with the program's tag. Messages of
// partitions have negative tags of that plane (tag_ranges.h).
//
// Thread safety: any strand of the rank. Of one request several strands may call ready() and
// arrived() at once.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "heddle/fortran.h"
#include "mpi/datatype/buffer.h"
#include "mpi/p2p/target.h"
#include "mpi/request/complete.h"

namespace heddle::partitioned {

// A buffer of `count` partitions with `elements` elements of the type each.
struct Partitions {
  int count;
  MPI_Count elements;
};

// MPI_Psend_init, MPI_Precv_init. Local. `data` is a buffer's address and type, its count unused.
Error send_init(datatype::ConstBuffer data, Partitions partitions, const p2p::Target& to,
                request::Request** request);
Error recv_init(datatype::Buffer data, Partitions partitions, const p2p::Source& from,
                request::Request** request);

// heddle_follow() of any request (heddle/fortran.h). May switch.
Error follow(MPI_Request handle, const heddle_follower& follower);

// MPI_Pready, MPI_Pready_range: partitions first to last. May switch: the caller may copy them.
Error ready(MPI_Request handle, int first, int last, request::Blamed* blamed);
// MPI_Pready_list.
Error ready_list(MPI_Request handle, int length, const int* partitions, request::Blamed* blamed);

// MPI_Parrived. True also of an inactive request and of MPI_REQUEST_NULL. May switch.
Error arrived(MPI_Request handle, int partition, int* flag, request::Blamed* blamed);

}  // namespace heddle::partitioned
