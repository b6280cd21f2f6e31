#include "mpi/comm_make/agree.h"

#include <climits>
#include <utility>

#include "mpi/coll/coll.h"
#include "mpi/datatype/datatype.h"
#include "mpi/lifetime/making.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/p2p/sendrecv.h"

namespace heddle::comm_make {

using comm::Plane;
using group::Group;
using object::Ref;

namespace {

// Users' tags are not negative, so the sides of an intercommunicator swap apart from them.
constexpr int kSidesTag = INT_MIN;

template <class Data>
auto buffer_of(Data* data, std::size_t bytes) {
  return datatype::bytes_at(data, static_cast<MPI_Count>(bytes));
}

int class_of(const Error& error) noexcept {
  return error ? error.error_class() : MPI_SUCCESS;
}

static_assert(world::ContextIds::kBits + match::kPlaneBits <= 64,
              "a match context has room for both");

// `remote` is null for an intracommunicator.
Error make(ContextId context, Ref<Group> local, Ref<Group> remote, const Comm& parent,
           Ref<Comm>* out) {
  if (Error e = check_context(context)) return e;
  const lifetime::Making making;
  const int rank = local->rank_of(*world::here().process);
  *out = Ref<Comm>::adopt(new Comm(context, std::move(local), std::move(remote), rank));
  (*out)->set_errhandler(parent.errhandler());
  return {};
}

}  // namespace

Error broadcast(Comm& comm, int root, void* data, std::size_t bytes, Error failed) {
  Error told = coll::run(coll::Bcast{buffer_of(data, bytes), root, comm, class_of(failed)});
  return failed ? std::move(failed) : std::move(told);
}

Error broadcast_in(const coll::Ticket& ticket, void* data, std::size_t bytes, Error failed) {
  const coll::Bcast from_first{buffer_of(data, bytes), 0, ticket.side(), class_of(failed)};
  Error told = from_first.perform(ticket);
  return failed ? std::move(failed) : std::move(told);
}

Error gather_all(Comm& comm, const void* mine, void* all, std::size_t bytes) {
  return coll::run(coll::Allgather{buffer_of(mine, bytes), buffer_of(all, bytes), comm});
}

Error send_apart(Comm& comm, int to, int tag, const void* data, std::size_t bytes) {
  return p2p::send(buffer_of(data, bytes), {&comm, to, tag, Plane::kMaking});
}

Error receive_apart(Comm& comm, int from, int tag, void* data, std::size_t bytes) {
  return p2p::recv(buffer_of(data, bytes), {&comm, from, tag, Plane::kMaking}, MPI_STATUS_IGNORE);
}

Error swap_with(Comm& comm, int peer, int tag, const void* out, std::size_t out_size, void* in,
                std::size_t in_size) {
  return p2p::sendrecv(buffer_of(out, out_size), {&comm, peer, tag, Plane::kMaking},
                       buffer_of(in, in_size), {&comm, peer, tag, Plane::kMaking},
                       MPI_STATUS_IGNORE);
}

Error swap_sides(Comm& inter, const void* out, std::size_t out_size, void* in,
                 std::size_t in_size) {
  Error failed;
  if (inter.rank() == 0) failed = swap_with(inter, 0, kSidesTag, out, out_size, in, in_size);
  return broadcast(inter.local_comm(), 0, in, in_size, std::move(failed));
}

ContextId draw_context() noexcept {
  return world::here().host->context_ids().draw();
}

Error check_context(ContextId context) {
  if (context != world::kNoContext) return {};
  return Error::make(MPI_ERR_OTHER,
                     "no context id is left for a new communicator: a host has given out all of "
                     "its %llu",
                     static_cast<unsigned long long>(world::ContextIds::kSerials));
}

InterContexts draw_contexts(world::ContextIds& ids) noexcept {
  InterContexts drawn{ids.draw(), ids.draw()};
  if (drawn.local == world::kNoContext) drawn.between = world::kNoContext;
  return drawn;
}

std::vector<ProcessName> names_of(const Group& group) {
  const lifetime::Making making;
  std::vector<ProcessName> names;
  names.reserve(static_cast<std::size_t>(group.size()));
  for (const world::Process* process : group.members()) names.push_back(process->name());
  return names;
}

Error group_of(const std::vector<ProcessName>& names, group::SessionRef session, Ref<Group>* out) {
  const lifetime::Making making;
  world::Host& host = *world::here().host;
  Group::Members members;
  members.reserve(names.size());
  for (const ProcessName& name : names) {
    members.push_back(host.find(name));
    if (members.back() == nullptr) {
      return Error::make(MPI_ERR_OTHER, "%s is not known on the host of the calling rank",
                         world::describe(name).c_str());
    }
  }
  *out = Ref<Group>::adopt(new Group(std::move(members), std::move(session)));
  return {};
}

Error build(ContextId context, Ref<Group> members, const Comm& parent, Ref<Comm>* out) {
  return make(context, std::move(members), {}, parent, out);
}

Error build_inter(const InterContexts& contexts, const Ref<Group>& local, Ref<Group> remote,
                  const Comm& parent, Ref<Comm>* out) {
  Ref<Comm> side, between;
  if (Error e = make(contexts.local, local, {}, parent, &side)) return e;
  if (Error e = make(contexts.between, local, std::move(remote), parent, &between)) return e;
  between->set_local_comm(std::move(side));
  *out = std::move(between);
  return {};
}

}  // namespace heddle::comm_make
