// A communicator made by its members alone (MPI 5.0 §7.4.2, MPI_Comm_create_group).

#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"

namespace heddle::comm_make {

using group::Group;

namespace {

// A group's ranks in their parent communicator.
Error parent_ranks(const Comm& parent, const Group& members, std::vector<int>* ranks) {
  for (const world::Process* process : members.members()) {
    ranks->push_back(parent.group().rank_of(*process));
    if (ranks->back() == MPI_UNDEFINED) {
      return Error::make(MPI_ERR_GROUP, "argument group has %s, but %s has not",
                         world::describe(process->name()).c_str(), comm::describe(parent).c_str());
    }
  }
  return {};
}

// The new rank 0's id reaches all through a binomial tree: a rank's parent is the rank without its
// lowest bit.
Error spread(Comm& parent, const std::vector<int>& ranks, int me, int tag, ContextId* context) {
  const int size = static_cast<int>(ranks.size());
  const auto rank = [&](int member) { return ranks[static_cast<std::size_t>(member)]; };
  int bit = 1;
  while (bit < size && (me & bit) == 0) bit <<= 1;
  if (me != 0) {
    if (Error e = receive_apart(parent, rank(me - bit), tag, context, sizeof *context)) return e;
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (me + bit >= size) continue;
    if (Error e = send_apart(parent, rank(me + bit), tag, context, sizeof *context)) return e;
  }
  return {};
}

}  // namespace

Error create_group(Comm& parent, const Group& members, int tag, Comm** out) {
  if (parent.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which is an intercommunicator",
                       comm::describe(parent).c_str());
  }
  std::vector<int> ranks;
  if (Error e = parent_ranks(parent, members, &ranks)) return e;
  const int me = members.rank_of(parent.group().member(parent.rank()));
  if (me == MPI_UNDEFINED) return {};
  ContextId context = me == 0 ? draw_context() : 0;
  if (Error e = spread(parent, ranks, me, tag, &context)) return e;
  object::Ref<Comm> made;
  if (Error e = build(context, members.copy(), parent, &made)) return e;
  *out = made.leak();
  return {};
}

}  // namespace heddle::comm_make
