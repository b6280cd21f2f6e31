// Intercommunicators from two groups (MPI 5.0 §7.6.2, MPI_Intercomm_create_from_groups): each side
// makes a communicator of its own, and then their leaders meet in that of all processes.

#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/group/group_set.h"

namespace heddle::comm_make {

using group::Group;
using object::Ref;

namespace {

Error check_disjoint(const Group& local, const Group& remote) {
  Group* both = nullptr;
  if (Error e = group::make_intersection(local, remote, &both)) return e;
  const Ref<Group> kept = Ref<Group>::adopt(both);
  if (both->size() == 0) return {};
  return Error::make(MPI_ERR_GROUP,
                     "arguments local_group and remote_group both have %s, but must have no member "
                     "in common",
                     world::describe(both->member(0).name()).c_str());
}

// The remote leader's rank in `all`; at the local leader.
Error find_remote_leader(const Comm& all, const Group& local, const Group* remote, int leader,
                         int* rank) {
  if (remote == nullptr) {
    return Error::make(MPI_ERR_GROUP, "argument remote_group is no group at the local leader");
  }
  if (leader < 0 || leader >= remote->size()) {
    return Error::make(MPI_ERR_RANK,
                       "argument remote_leader is %d, but remote_group has %d members", leader,
                       remote->size());
  }
  if (Error e = check_disjoint(local, *remote)) return e;
  *rank = all.group().rank_of(remote->member(leader));
  return {};
}

}  // namespace

Error create_from_groups(Comm& all, Group& local, int local_leader, Group* remote,
                         int remote_leader, const char* stringtag, const info::Info* hints,
                         error::Errhandler& handler, Comm** out) {
  const bool is_empty = local.size() == 0 || (remote != nullptr && remote->size() == 0);
  if (is_empty) return {};
  if (local_leader < 0 || local_leader >= local.size()) {
    return Error::make(MPI_ERR_RANK, "argument local_leader is %d, but local_group has %d members",
                       local_leader, local.size());
  }
  if (Error e = check_member(all, local, "local_group")) return e;
  Comm* side = nullptr;
  if (Error e = create_from_group(all, local, stringtag, nullptr, handler, &side)) return e;
  const Ref<Comm> kept = Ref<Comm>::adopt(side);
  int peer = MPI_UNDEFINED;
  Error failed;
  if (side->rank() == local_leader) {
    failed = find_remote_leader(all, local, remote, remote_leader, &peer);
  }
  // Only the leader sees what is wrong with the remote group; the others learn of it.
  if (Error e = broadcast(*side, local_leader, &peer, sizeof peer, std::move(failed))) return e;
  Comm* made = nullptr;
  if (Error e =
          create_intercomm(*side, local_leader, &all, peer, tag_of(hash_of(stringtag)), &made)) {
    return e;
  }
  Ref<Comm> inter = Ref<Comm>::adopt(made);
  if (hints != nullptr) {
    if (Error e = comm::set_hints(*inter, hints)) return e;
  }
  *out = inter.leak();
  return {};
}

}  // namespace heddle::comm_make
