// Communicators of a part of their parent's ranks, by color and key (MPI 5.0 §7.4.2).

#include <strings.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/comm_make/parts.h"

namespace heddle::comm_make {

using group::Group;
using object::Ref;

namespace {

Ref<Group> subgroup(const Group& from, const std::vector<int>& ranks) {
  Group::Members members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(&from.member(rank));
  return Ref<Group>::adopt(new Group(std::move(members), from.session()));
}

std::size_t bytes_of(const std::vector<Choice>& choices) {
  return choices.size() * sizeof(Choice);
}

Error split_intra(Comm& parent, const Choice& mine, Comm** out) {
  Part part;
  if (Error e = divide(parent, mine, &part)) return e;
  if (!part.members) return {};
  auto members = Ref<Group>::adopt(new Group(*part.members, parent.group().session()));
  Ref<Comm> made;
  if (Error e = build(part.context, std::move(members), parent, &made)) return e;
  *out = made.leak();
  return {};
}

// A color that only one side chose gives no communicator.
Error split_inter(Comm& parent, const Choice& mine, Comm** out) {
  std::vector<Choice> here(static_cast<std::size_t>(parent.size()));
  std::vector<Choice> there(static_cast<std::size_t>(parent.remote_group().size()));
  if (Error e = gather_all(parent.local_comm(), &mine, here.data(), sizeof mine)) return e;
  if (Error e = swap_sides(parent, here.data(), bytes_of(here), there.data(), bytes_of(there))) {
    return e;
  }
  if (mine.color == MPI_UNDEFINED) return {};
  const std::vector<int> local = ranks_with(here, mine.color);
  const std::vector<int> remote = ranks_with(there, mine.color);
  if (remote.empty()) return {};
  const Choice& first_here = here[static_cast<std::size_t>(local.front())];
  const Choice& first_there = there[static_cast<std::size_t>(remote.front())];
  Ref<Comm> made;
  if (Error e = build_inter({agreed(first_here.contexts.between, first_there.contexts.between),
                             first_here.contexts.local},
                            subgroup(parent.group(), local),
                            subgroup(parent.remote_group(), remote), parent, &made)) {
    return e;
  }
  *out = made.leak();
  return {};
}

Error split_by(Comm& parent, int color, int key, Comm** out) {
  if (!parent.is_inter()) {
    return split_intra(parent, {{draw_context(), world::kNoContext}, color, key}, out);
  }
  return split_inter(parent, {draw_contexts(), color, key}, out);
}

int node_here() {
  return world::here().process->node;
}

// True if processes of several nodes are in the communicator: the same at all of its members.
bool spans_nodes(const Comm& comm) {
  const auto is_elsewhere = [](const world::Process* process) {
    return process->node != node_here();
  };
  const Group::Members& local = comm.group().members();
  const Group::Members& peers = comm.peers().members();
  return std::any_of(local.begin(), local.end(), is_elsewhere) ||
         std::any_of(peers.begin(), peers.end(), is_elsewhere);
}

// The kinds of hardware and resources whose members we can tell: the node.
constexpr char kResourceType[] = "mpi_hw_resource_type";
constexpr char kNode[] = "mpi_shared_memory";
constexpr char kNodeAsHardware[] = "hwloc://Machine";
constexpr char kPset[] = "mpi_pset_name";

bool names_the_node(const info::Info* hints) {
  if (hints == nullptr) return false;
  const auto type = hints->get(kResourceType);
  return type == kNode || type == kNodeAsHardware;
}

// The members of a set of processes stay together; there are sets with all processes, and with one
// each. A set that is not known makes no communicator, as hardware that is not known.
int color_of_pset(const char* name) {
  if (strcasecmp(name, "mpi://WORLD") == 0) return 0;
  return strcasecmp(name, "mpi://SELF") == 0 ? world::here().process->number : MPI_UNDEFINED;
}

Error split_by_resource(Comm& parent, int key, const info::Info* hints, Comm** out) {
  const auto pset = hints != nullptr ? hints->get(kPset) : std::nullopt;
  const int unguided = names_the_node(hints) ? node_here() : MPI_UNDEFINED;
  return split_by(parent, pset ? color_of_pset(pset->c_str()) : unguided, key, out);
}

// By nodes, if that makes parts that are smaller than the parent; `hints` hears what they are.
// Ranks of one node have no smaller part by hardware, since they may move between cores.
Error split_unguided(Comm& parent, int key, info::Info* hints, Comm** out) {
  const int color = spans_nodes(parent) ? node_here() : MPI_UNDEFINED;
  if (Error e = split_by(parent, color, key, out)) return e;
  if (color == MPI_UNDEFINED || hints == nullptr || hints == &info::environment()) return {};
  hints->set(kResourceType, kNode);
  return {};
}

Error split_by_type(Comm& parent, int type, int key, info::Info* hints, Comm** out) {
  switch (type) {
    case MPI_COMM_TYPE_SHARED:
      return split_by(parent, node_here(), key, out);
    case MPI_COMM_TYPE_HW_GUIDED:
      return split_by(parent, names_the_node(hints) ? node_here() : MPI_UNDEFINED, key, out);
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      return split_by_resource(parent, key, hints, out);
    case MPI_COMM_TYPE_HW_UNGUIDED:
      return split_unguided(parent, key, hints, out);
    case MPI_UNDEFINED:
      return split_by(parent, MPI_UNDEFINED, key, out);
  }
  return Error::make(MPI_ERR_ARG, "argument split_type is %d, which is no MPI_COMM_TYPE_", type);
}

}  // namespace

Error split(Comm& parent, int color, int key, Comm** out) {
  if (color < 0 && color != MPI_UNDEFINED) {
    return Error::make(MPI_ERR_ARG,
                       "argument color is %d, but must be MPI_UNDEFINED or not negative", color);
  }
  return split_by(parent, color, key, out);
}

Error split_type(Comm& parent, int type, int key, info::Info* hints, Comm** out) {
  if (Error e = split_by_type(parent, type, key, hints, out)) return e;
  return *out != nullptr && hints != nullptr ? comm::set_hints(**out, hints) : Error();
}

Error get_hardware(info::Info** out) {
  auto* kinds = new info::Info();
  kinds->set(kNodeAsHardware, "true");
  *out = kinds;
  return {};
}

Error create(Comm& parent, const Group& members, Comm** out) {
  for (const world::Process* process : members.members()) {
    if (parent.group().rank_of(*process) == MPI_UNDEFINED) {
      return Error::make(MPI_ERR_GROUP, "argument group has %s, but %s has not",
                         world::describe(process->name()).c_str(), comm::describe(parent).c_str());
    }
  }
  const int new_rank = members.rank_of(parent.group().member(parent.rank()));
  if (new_rank == MPI_UNDEFINED) return split_by(parent, MPI_UNDEFINED, 0, out);
  // Disjoint groups have different first members. An intercommunicator's sides must meet in one
  // color, and have one group each.
  const int color = parent.is_inter() ? 0 : parent.group().rank_of(members.member(0));
  return split_by(parent, color, new_rank, out);
}

}  // namespace heddle::comm_make
