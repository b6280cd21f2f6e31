// agree.h — the few messages by which ranks agree on a new communicator. All may switch.
//
// Process numbers stand for processes in messages, because pointers mean nothing on other hosts.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::comm_make {

using comm::Comm;
using comm::ContextId;

// Gives every rank of an intracommunicator what the root has.
Error broadcast(Comm& comm, int root, void* data, std::size_t bytes);

// all[i] becomes what rank i gave, of `bytes` each; intracommunicators only.
Error gather_all(Comm& comm, const void* mine, void* all, std::size_t bytes);

// Messages of a plane of their own, apart from the user's and from collectives.
Error send_apart(Comm& comm, int to, int tag, const void* data, std::size_t bytes);
Error receive_apart(Comm& comm, int from, int tag, void* data, std::size_t bytes);

// Two leaders give each other what they have. The other is `peer` of `comm`.
Error swap_with(Comm& comm, int peer, int tag, const void* out, std::size_t out_bytes, void* in,
                std::size_t in_bytes);

// swap_with between the ranks 0 of an intercommunicator's sides, then a broadcast to each side.
Error swap_sides(Comm& inter, const void* out, std::size_t out_bytes, void* in,
                 std::size_t in_bytes);

// An id that the calling rank may give to a new communicator.
ContextId draw_context() noexcept;

std::vector<int> numbers_of(const group::Group& group);
object::Ref<group::Group> group_of(const std::vector<int>& numbers);

// The object, once all is agreed on. Inherits the parent's error handler.
object::Ref<Comm> build(ContextId context, object::Ref<group::Group> members, const Comm& parent);
object::Ref<Comm> build_inter(ContextId context, ContextId local_context,
                              object::Ref<group::Group> local, object::Ref<group::Group> remote,
                              const Comm& parent);

}  // namespace heddle::comm_make
