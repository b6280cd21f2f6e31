// agree.h — the few messages by which ranks agree on a new communicator. All may switch.
//
// Names stand for processes in messages, because pointers mean nothing on other hosts.
//
// Thread safety: any strand of the rank; calls whose messages could match each other come one at a
// time.

#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "mpi/coll/ticket.h"
#include "mpi/comm/comm.h"

namespace heddle::comm_make {

using comm::Comm;
using comm::ContextId;
using world::ProcessName;

// Gives every rank of an intracommunicator what the root has; or if that has `failed`, its error.
Error broadcast(Comm& comm, int root, void* data, std::size_t bytes, Error failed = {});
// Gives every rank of its side what rank 0 has, as broadcast() does, in an operation that has one
// phase.
Error broadcast_in(const coll::Ticket& ticket, void* data, std::size_t bytes, Error failed = {});

// all[i] becomes what rank i gave, of `bytes` each; intracommunicators only.
Error gather_all(Comm& comm, const void* mine, void* all, std::size_t bytes);

// Messages of a plane of their own, apart from the user's and from collectives.
Error send_apart(Comm& comm, int to, int tag, const void* data, std::size_t bytes);
Error receive_apart(Comm& comm, int from, int tag, void* data, std::size_t bytes);

// Two leaders give each other what they have. The other is `peer` of `comm`.
Error swap_with(Comm& comm, int peer, int tag, const void* out, std::size_t out_bytes, void* in,
                std::size_t in_bytes);

// swap_with between the ranks 0 of an intercommunicator's sides, then a broadcast to each side.
// Where a leader fails, its side does.
Error swap_sides(Comm& inter, const void* out, std::size_t out_bytes, void* in,
                 std::size_t in_bytes);

// An id that the calling rank may give to a new communicator; world::kNoContext if its host has
// none left. Ranks agree on that like on any other id, and then build() fails at all of them.
ContextId draw_context() noexcept;

// Fails for kNoContext.
Error check_context(ContextId context);

struct InterContexts {
  ContextId between;
  ContextId local;  // of the communicator of the own side
};
// Two at once, as a side's offer. If the host has no two left, both are kNoContext, so that the
// other side fails as well.
InterContexts draw_contexts(world::ContextIds& ids) noexcept;
inline InterContexts draw_contexts() noexcept {
  return draw_contexts(world::here().host->context_ids());
}

// The two sides' offers for one communicator: both take the same. kNoContext if either is.
inline ContextId agreed(ContextId mine, ContextId theirs) noexcept {
  return mine < theirs ? mine : theirs;
}

// MPI_Comm_create_from_group and its sibling. An error unless the calling rank is a member of what
// it gave as this argument.
Error check_member(const Comm& all, const group::Group& members, const char* argument);
// Strings stand for tags.
Error check_stringtag(const char* stringtag);
std::uint64_t hash_of(const char* stringtag) noexcept;
inline int tag_of(std::uint64_t hash) noexcept {
  return static_cast<int>((hash ^ hash >> 32) & INT_MAX);
}

std::vector<ProcessName> names_of(const group::Group& group);

// Fails if the host has not heard of a process.
Error group_of(const std::vector<ProcessName>& names, group::SessionRef session,
               object::Ref<group::Group>* out);

// The object, once all is agreed on. Inherits the parent's error handler. Fails for kNoContext.
Error build(ContextId context, object::Ref<group::Group> members, const Comm& parent,
            object::Ref<Comm>* out);

Error build_inter(const InterContexts& contexts, const object::Ref<group::Group>& local,
                  object::Ref<group::Group> remote, const Comm& parent, object::Ref<Comm>* out);

}  // namespace heddle::comm_make
