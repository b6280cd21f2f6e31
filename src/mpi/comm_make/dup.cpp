// Duplicates (MPI 5.0 §7.4.2), and communicators of the first ranks.

#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"

namespace heddle::comm_make {

using group::Group;
using object::Ref;

namespace {

Ref<Group> first_members(Group& group, int ranks) {
  if (ranks == group.size()) return Ref<Group>(&group);
  const auto begin = group.members().begin();
  return Ref<Group>::adopt(new Group({begin, begin + ranks}));
}

// `*out` stays null at the other ranks.
Error make_of_first(Comm& parent, int ranks, Ref<Comm>* out) {
  ContextId context = parent.rank() == 0 ? draw_context() : 0;
  if (Error e = broadcast(parent, 0, &context, sizeof context)) return e;
  if (parent.rank() >= ranks) return {};
  return build(context, first_members(parent.group(), ranks), parent, out);
}

Error dup_intra(Comm& parent, Ref<Comm>* out) {
  if (Error e = make_of_first(parent, parent.size(), out)) return e;
  (*out)->set_topology(parent.topology());
  return {};
}

Error dup_inter(Comm& parent, Ref<Comm>* out) {
  InterContexts mine{}, theirs{};
  if (parent.rank() == 0) mine = draw_contexts();
  if (Error e = broadcast(parent.local_comm(), 0, &mine, sizeof mine)) return e;
  if (Error e = swap_sides(parent, &mine, sizeof mine, &theirs, sizeof theirs)) return e;
  return build_inter({agreed(mine.between, theirs.between), mine.local},
                     Ref<Group>(&parent.group()), Ref<Group>(&parent.remote_group()), parent, out);
}

// Without hints: MPI 4.0 stopped to copy them.
Error dup_with_attributes(Comm& parent, Ref<Comm>* out) {
  if (Error e = dup_bare(parent, out)) return e;
  return parent.attributes().copy_to((*out)->attributes(), parent);
}

}  // namespace

Error dup_bare(Comm& parent, Ref<Comm>* out) {
  return parent.is_inter() ? dup_inter(parent, out) : dup_intra(parent, out);
}

Error dup(Comm& parent, Comm** out) {
  Ref<Comm> made;
  if (Error e = dup_with_attributes(parent, &made)) return e;
  *out = made.leak();
  return {};
}

Error dup_with_info(Comm& parent, const info::Info* hints, Comm** out) {
  Ref<Comm> made;
  if (Error e = dup_with_attributes(parent, &made)) return e;
  if (hints != nullptr) {
    if (Error e = comm::set_hints(*made, hints)) return e;
  }
  *out = made.leak();
  return {};
}

Error create_first(Comm& parent, int ranks, Comm** out) {
  Ref<Comm> made;
  if (Error e = make_of_first(parent, ranks, &made)) return e;
  *out = made.leak();
  return {};
}

}  // namespace heddle::comm_make
