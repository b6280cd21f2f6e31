#include "mpi/comm_make/agree.h"

#include <climits>

#include "mpi/coll/coll.h"
#include "mpi/datatype/datatype.h"
#include "mpi/object/shortage.h"
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

datatype::ConstBuffer out_bytes(const void* data, std::size_t bytes) {
  return {data, static_cast<MPI_Count>(bytes), &datatype::named(MPI_BYTE)};
}
datatype::Buffer in_bytes(void* data, std::size_t bytes) {
  return {data, static_cast<MPI_Count>(bytes), &datatype::named(MPI_BYTE)};
}

}  // namespace

Error broadcast(Comm& comm, int root, void* data, std::size_t bytes) {
  return coll::bcast(in_bytes(data, bytes), root, comm);
}

Error gather_all(Comm& comm, const void* mine, void* all, std::size_t bytes) {
  return coll::allgather(out_bytes(mine, bytes), in_bytes(all, bytes), comm);
}

Error send_apart(Comm& comm, int to, int tag, const void* data, std::size_t bytes) {
  return p2p::send(out_bytes(data, bytes), {&comm, to, tag, Plane::kMaking});
}

Error receive_apart(Comm& comm, int from, int tag, void* data, std::size_t bytes) {
  return p2p::recv(in_bytes(data, bytes), {&comm, from, tag, Plane::kMaking}, MPI_STATUS_IGNORE);
}

Error swap_with(Comm& comm, int peer, int tag, const void* out, std::size_t out_size, void* in,
                std::size_t in_size) {
  return p2p::sendrecv(out_bytes(out, out_size), {&comm, peer, tag, Plane::kMaking},
                       in_bytes(in, in_size), {&comm, peer, tag, Plane::kMaking},
                       MPI_STATUS_IGNORE);
}

Error swap_sides(Comm& inter, const void* out, std::size_t out_size, void* in,
                 std::size_t in_size) {
  if (inter.rank() == 0) {
    if (Error e = swap_with(inter, 0, kSidesTag, out, out_size, in, in_size)) return e;
  }
  return broadcast(inter.local_comm(), 0, in, in_size);
}

ContextId draw_context() noexcept {
  return world::here().job->new_context();
}

std::vector<int> numbers_of(const Group& group) {
  const object::CollectsInShortage collects;
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (const world::Process* process : group.members()) numbers.push_back(process->number);
  return numbers;
}

Ref<Group> group_of(const std::vector<int>& numbers) {
  const object::CollectsInShortage collects;
  world::Job& job = *world::here().job;
  Group::Members members;
  members.reserve(numbers.size());
  for (const int number : numbers) members.push_back(&job.process(number));
  return Ref<Group>::adopt(new Group(std::move(members)));
}

Ref<Comm> build(ContextId context, Ref<Group> members, const Comm& parent) {
  const object::CollectsInShortage collects;
  const int rank = members->rank_of(*world::here().process);
  auto made = Ref<Comm>::adopt(new Comm(context, std::move(members), {}, rank));
  made->set_errhandler(parent.errhandler());
  return made;
}

Ref<Comm> build_inter(ContextId context, ContextId local_context, Ref<Group> local,
                      Ref<Group> remote, const Comm& parent) {
  const object::CollectsInShortage collects;
  Ref<Comm> side = build(local_context, local, parent);
  auto made =
      Ref<Comm>::adopt(new Comm(context, std::move(local), std::move(remote), side->rank()));
  made->set_errhandler(parent.errhandler());
  made->set_local_comm(std::move(side));
  return made;
}

}  // namespace heddle::comm_make
