// Duplicates (MPI 5.0 §7.4.2), and communicators of the first ranks.
//
// A duplicate is of the parent as it was when the call was made, also if the call does not block.
// So that call makes the new communicator, with attributes and all, and lacks only its context. On
// that the members agree when the collectives of the parent that were called before are done.

#include "mpi/coll/first_error.h"
#include "mpi/coll/started.h"
#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/lifetime/making.h"

namespace heddle::comm_make {

using group::Group;
using object::Ref;

namespace {

// Like the parent, but without a context.
Ref<Comm> make_like(Comm& parent) {
  Ref<Group> remote;
  if (parent.is_inter()) remote = Ref<Group>(&parent.remote_group());
  const lifetime::Making making;
  auto made = Ref<Comm>::adopt(
      new Comm(world::kNoContext, Ref<Group>(&parent.group()), std::move(remote), parent.rank()));
  made->set_errhandler(parent.errhandler());
  made->extras().inherit(parent.extras());
  if (parent.is_inter()) made->set_local_comm(make_like(parent.local_comm()));
  return made;
}

Error agree_intra(Comm& made, const coll::Ticket& ticket) {
  ContextId context = made.rank() == 0 ? draw_context() : world::kNoContext;
  if (Error e = broadcast_in(ticket, &context, sizeof context)) return e;
  if (Error e = check_context(context)) return e;
  made.set_context(context);
  return {};
}

Error agree_inter(Comm& made, const coll::Ticket& ticket) {
  InterContexts contexts{};
  Error failed;
  if (made.rank() == 0) {
    const InterContexts mine = draw_contexts();
    InterContexts theirs{};
    failed = ticket.wire().swap(datatype::bytes_at(&mine, sizeof mine), 0,
                                datatype::bytes_at(&theirs, sizeof theirs), 0);
    contexts = {agreed(mine.between, theirs.between), mine.local};
  }
  if (Error e = broadcast_in(ticket, &contexts, sizeof contexts, std::move(failed))) return e;
  if (Error e = check_context(contexts.between)) return e;
  made.set_context(contexts.between);
  made.local_comm().set_context(contexts.local);
  return {};
}

// A collective of the parent, that gives `made` its context. A member whose copy callback `failed`
// takes part all the same.
struct Duplicate {
  Comm& comm;
  Ref<Comm> made;
  Error failed;

  coll::Uses uses() const noexcept { return {}; }
  int phases() const noexcept { return 1; }
  Error perform(const coll::Ticket& ticket) {
    coll::FirstError error;
    error.note(std::move(failed));
    error.note(comm.is_inter() ? agree_inter(*made, ticket) : agree_intra(*made, ticket));
    return error.take();
  }
};

// That of a call which does not block.
struct LaterDuplicate : Duplicate {
  MPI_Comm* handle;

  Error perform(const coll::Ticket& ticket) {
    if (Error e = Duplicate::perform(ticket)) return e;
    *handle = reinterpret_cast<MPI_Comm>(object::publish(made.leak()));
    return {};
  }
};

// Leaves out the parent's hints: MPI 4.0 stopped to copy them.
Duplicate duplicate_of(Comm& parent, const info::Info* hints) {
  Ref<Comm> made = make_like(parent);
  coll::FirstError error;
  error.note(parent.attributes().copy_to(made->attributes(), parent));
  if (hints != nullptr) error.note(comm::set_hints(*made, hints));
  return {parent, std::move(made), error.take()};
}

Ref<Group> first_members(Group& group, int ranks) {
  if (ranks == group.size()) return Ref<Group>(&group);
  const auto begin = group.members().begin();
  return Ref<Group>::adopt(new Group({begin, begin + ranks}, group.session()));
}

}  // namespace

Error dup(Comm& parent, const info::Info* hints, Comm** out) {
  Duplicate duplicate = duplicate_of(parent, hints);
  if (Error e = coll::run(duplicate)) return e;
  *out = duplicate.made.leak();
  return {};
}

Error idup(Comm& parent, const info::Info* hints, MPI_Comm* handle, request::Request** out) {
  return coll::start(LaterDuplicate{duplicate_of(parent, hints), handle}, out);
}

Error dup_bare(Comm& parent, Ref<Comm>* out) {
  Duplicate duplicate{parent, make_like(parent), {}};
  if (Error e = coll::run(duplicate)) return e;
  *out = std::move(duplicate.made);
  return {};
}

Error create_first(Comm& parent, int ranks, Comm** out) {
  ContextId context = parent.rank() == 0 ? draw_context() : world::kNoContext;
  if (Error e = broadcast(parent, 0, &context, sizeof context)) return e;
  if (parent.rank() >= ranks) return {};
  Ref<Comm> made;
  if (Error e = build(context, first_members(parent.group(), ranks), parent, &made)) return e;
  *out = made.leak();
  return {};
}

}  // namespace heddle::comm_make
