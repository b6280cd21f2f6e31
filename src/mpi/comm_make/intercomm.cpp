// Intercommunicators from two intracommunicators, and back (MPI 5.0 §7.6.2).

#include <algorithm>
#include <unordered_set>

#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"

namespace heddle::comm_make {

using group::Group;
using object::Ref;

namespace {

// A leader's message to the other leader, and then to its own side about the other.
struct Side {
  InterContexts contexts;  // .between: to the other leader an offer; to the side what is agreed on;
                           // .local: of its own side
  std::int32_t size;
  std::int32_t unused;
};

Error check_leader(Comm& local, Comm* peer, int remote_leader) {
  if (peer == nullptr) {
    return Error::make(MPI_ERR_COMM, "argument peer_comm is no communicator at the local leader");
  }
  const Group& peers = peer->peers();
  if (remote_leader < 0 || remote_leader >= peers.size()) {
    return Error::make(MPI_ERR_RANK, "argument remote_leader is %d, but %s has %d ranks",
                       remote_leader, comm::describe(*peer).c_str(), peers.size());
  }
  if (local.group().rank_of(peers.member(remote_leader)) != MPI_UNDEFINED) {
    return Error::make(MPI_ERR_COMM,
                       "argument remote_leader is %d, a process of local_comm; the two groups must "
                       "be disjoint",
                       remote_leader);
  }
  return {};
}

Error check_disjoint(const Group& local, const std::vector<ProcessName>& remote) {
  const std::vector<ProcessName> names = names_of(local);
  const std::unordered_set<ProcessName> here(names.begin(), names.end());
  const auto both = std::find_if(remote.begin(), remote.end(),
                                 [&](const ProcessName& name) { return here.contains(name); });
  if (both == remote.end()) return {};
  return Error::make(MPI_ERR_COMM, "%s is in both groups, which must be disjoint",
                     world::describe(*both).c_str());
}

// Called at the leader: learns about the other side.
Error meet(Comm& local, Comm* peer, int remote_leader, int tag, Side* side,
           std::vector<ProcessName>* remote) {
  if (Error e = check_leader(local, peer, remote_leader)) return e;
  const Side mine{draw_contexts(), local.size(), 0};
  if (Error e = swap_with(*peer, remote_leader, tag, &mine, sizeof mine, side, sizeof *side)) {
    return e;
  }
  const std::vector<ProcessName> own = names_of(local.group());
  remote->resize(static_cast<std::size_t>(side->size));
  if (Error e = swap_with(*peer, remote_leader, tag, own.data(), own.size() * sizeof own[0],
                          remote->data(), remote->size() * sizeof own[0])) {
    return e;
  }
  side->contexts = {agreed(side->contexts.between, mine.contexts.between), mine.contexts.local};
  return check_disjoint(local.group(), *remote);
}

}  // namespace

Error create_intercomm(Comm& local, int local_leader, Comm* peer, int remote_leader, int tag,
                       Comm** out) {
  if (local.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument local_comm is %s, which is an intercommunicator",
                       comm::describe(local).c_str());
  }
  Side side{};
  std::vector<ProcessName> remote;
  Error failed;
  if (local.rank() == local_leader) {
    failed = meet(local, peer, remote_leader, tag, &side, &remote);
  }
  if (Error e = broadcast(local, local_leader, &side, sizeof side, std::move(failed))) return e;
  remote.resize(static_cast<std::size_t>(side.size));
  if (Error e = broadcast(local, local_leader, remote.data(), remote.size() * sizeof remote[0])) {
    return e;
  }
  Ref<Group> others;
  if (Error e = group_of(remote, local.group().session(), &others)) return e;
  Ref<Comm> made;
  if (Error e = build_inter(side.contexts, Ref<Group>(&local.group()), others, local, &made)) {
    return e;
  }
  *out = made.leak();
  return {};
}

Error merge(Comm& inter, int high, Comm** out) {
  if (!inter.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument intercomm is %s, which is no intercommunicator",
                       comm::describe(inter).c_str());
  }
  struct {
    ContextId context;
    ProcessName first;  // rank 0: decides where both sides give the same `high`
    std::int32_t high;
    std::int32_t unused;
  } mine{}, theirs{};
  if (inter.rank() == 0) {
    mine = {draw_context(), inter.group().member(0).name(), high != 0, 0};
  }
  if (Error e = broadcast(inter.local_comm(), 0, &mine, sizeof mine)) return e;
  if (Error e = swap_sides(inter, &mine, sizeof mine, &theirs, sizeof theirs)) return e;
  const bool we_are_first =
      mine.high != theirs.high ? mine.high < theirs.high : mine.first < theirs.first;
  const Group& first = we_are_first ? inter.group() : inter.remote_group();
  const Group& second = we_are_first ? inter.remote_group() : inter.group();
  Group::Members members = first.members();
  members.insert(members.end(), second.members().begin(), second.members().end());
  Ref<Comm> made;
  if (Error e =
          build(agreed(mine.context, theirs.context),
                Ref<Group>::adopt(new Group(std::move(members), first.session())), inter, &made)) {
    return e;
  }
  *out = made.leak();
  return {};
}

}  // namespace heddle::comm_make
