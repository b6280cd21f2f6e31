// comm_make.h — how communicators are made and how they end (MPI 5.0 §7.4.2, §7.4.3, §7.6.2,
// §11.10.4).
//
// Ranks must agree on a context id that no communicator has had. A rank's host draws it, and the id
// contains the host's number. So no search is needed, and an id that is not used in the end does no
// harm. That makes creations on different parents independent: any number may run at once.
//
//   call                drawn by                               agreed on by
//   ------------------  -------------------------------------  ---------------------------
//   dup, create_first   rank 0; on intercomms both             one broadcast; before it a swap
//   split, create       each; the new rank 0's counts          one allgather
//   create_group        the new rank 0                         a tree of messages
//   create_from_group   the same                               the same
//   create_from_groups  as both that and intercomm_create
//   intercomm_create    both leaders; the lower id counts     two swaps, two broadcasts
//   others on           as above, the sides by their rank 0    a broadcast, a swap, a broadcast
//   intercomms
//
// A new communicator inherits its parent's error handler. All functions are collective and may
// switch. `*out` is null if the calling rank is no member.
//
// Thread safety: any strand; on one parent one call at a time, as the standard asks.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/request/request.h"

namespace heddle::comm_make {

using comm::Comm;

// Same groups and topology, new context; attributes by their copy callbacks. `hints` may be null.
Error dup(Comm& parent, const info::Info* hints, Comm** out);
// Begins dup(). When the request is done, *handle is that of the duplicate, which is of the parent
// as it was at the call.
Error idup(Comm& parent, const info::Info* hints, MPI_Comm* handle, request::Request** out);
// Duplicates without attributes; for the library itself.
Error dup_bare(Comm& parent, object::Ref<Comm>* out);

// Makes a communicator of the first `ranks` of an intracommunicator. Collective over the parent.
Error create_first(Comm& parent, int ranks, Comm** out);

// Makes one communicator for each color, ordered by key and then by rank in the parent.
Error split(Comm& parent, int color, int key, Comm** out);
Error split_type(Comm& parent, int type, int key, info::Info* hints, Comm** out);

// The kinds of hardware by which split_type can divide ranks, each with "true": a rank stays in its
// instance (MPI_Get_hw_resource_info). Local.
Error get_hardware(info::Info** out);

// Makes a communicator of a subgroup. Collective over the parent; groups of different ranks are
// equal or disjoint.
Error create(Comm& parent, const group::Group& members, Comm** out);

// Makes a communicator of a subgroup. Collective over the subgroup only.
Error create_group(Comm& parent, const group::Group& members, int tag, Comm** out);

// Makes a communicator of a group, without a parent (MPI_Comm_create_from_group): `all` is a
// communicator of all processes in kGroupsContext, and calls with different stringtags do not meet.
// Local if the group is empty.
Error create_from_group(Comm& all, group::Group& members, const char* stringtag,
                        const info::Info* hints, error::Errhandler& handler, Comm** out);

// Joins two groups that have no member in common. What is said of `remote` counts at the local
// leader only. Local if a group is empty; a `remote` that is counts at all ranks.
Error create_from_groups(Comm& all, group::Group& local, int local_leader, group::Group* remote,
                         int remote_leader, const char* stringtag, const info::Info* hints,
                         error::Errhandler& handler, Comm** out);

// Joins two intracommunicators. `peer` counts at the leader only, and may be null elsewhere.
Error create_intercomm(Comm& local, int local_leader, Comm* peer, int remote_leader, int tag,
                       Comm** out);

// The side that gives `high` comes second.
Error merge(Comm& inter, int high, Comm** out);

// Deletes the attributes and gives up the handle. Pending operations keep the communicator alive.
Error free_comm(MPI_Comm* handle);

// Waits until all of the (local) group have come here, and then does what free_comm() does.
Error disconnect(MPI_Comm* handle);

}  // namespace heddle::comm_make
