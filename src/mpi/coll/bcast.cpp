// One rank's data to all (MPI 5.0 §6.4).
#include <algorithm>

#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/coll/visit.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

[[gnu::cold, gnu::noinline]] Error too_long(MPI_Count bytes, const Buffer& data, int root,
                                            const Comm& comm) {
  return Error::make(MPI_ERR_TRUNCATE, "root %d of %s gives %lld bytes, but there is room for %lld",
                     root, comm::describe(comm).c_str(), static_cast<long long>(bytes),
                     static_cast<long long>(data.bytes()));
}

inline Error fits(MPI_Count bytes, const Buffer& data, int root, const Comm& comm) {
  if (bytes <= data.bytes()) [[likely]]
    return {};
  return too_long(bytes, data, root, comm);
}

inline void keep(const ConstBuffer& from, const Buffer& data) {
  p2p::transfer(from, data, std::min(from.bytes(), data.bytes()));
}

// Puts a payload in the scratch memory, from which the others copy, and the giver goes on.
Error lend_copy(ConstBuffer data, Visit& visit, int failed) {
  if (Error e = visit.take_on_to_give()) return e;
  const Buffer copy = datatype::bytes_at(visit.scratch(), data.bytes());
  p2p::transfer(data, copy, copy.count);
  visit.lend(copy, failed);
  return {};
}

// The others copy straight out of the buffer.
Error lend_itself(ConstBuffer data, Visit& visit, int failed) {
  if (Error e = visit.take_on_to_give()) return e;
  visit.lend(data, failed);
  return {};
}

// Runs at the root. From a large payload the others copy straight out of its buffer while it waits.
Error give(const Phase& phase, Buffer data, int root, int failed, Visit& visit) {
  if (failed != MPI_SUCCESS) [[unlikely]]
    data.count = 0;
  const bool small = data.bytes() <= visit.host_group().scratch_bytes();
  FirstError error;
  error.note(small ? lend_copy(data, visit, failed) : lend_itself(data, visit, MPI_SUCCESS));
  if (visit.hosts() != nullptr) [[unlikely]] {
    visit.claim_own();
    error.note(Relay(phase, *visit.hosts(), root, visit.call()).give(data, failed));
  }
  error.note(small ? visit.leave() : visit.meet());
  return error.take();
}

[[gnu::always_inline]] inline Error take(const Phase& phase, const Buffer& data, int root,
                                         Visit& visit) {
  const ConstBuffer from = visit.borrow(root);
  const MPI_Count bytes = from.bytes();
  Error failed = visit.told();
  keep(from, data);
  if (Error e = visit.leave()) return e;
  return failed ? std::move(failed) : fits(bytes, data, root, phase.comm);
}

// Runs at the leader of a host where the root is not: what the leader receives it lends in the
// root's place.
Error take_small(Parcel& first, Buffer data, const Relay& relay, Visit& visit) {
  FirstError error;
  error.note(lend_copy(first.contents(), visit, first.failure));
  if (!error.any()) error.note(visit.told());
  error.note(relay.pass_on(first));
  keep(first.contents(), data);
  error.note(visit.leave());
  return error.take();
}

Error take_large(Parcel& first, Buffer data, const Relay& relay, Visit& visit) {
  FirstError error;
  StagingBuffer staged;
  Buffer whole = datatype::bytes_at(data.data, first.bytes);
  const bool straight = data.bytes() >= first.bytes && data.type->dense();
  if (!straight) {
    if (Error e = staged.reserve_bytes(first.bytes)) {
      first.failure = e.error_class();
      error.note(std::move(e));
    }
    whole.data = staged.data();
  }
  error.note(relay.pass_on(first));
  const bool has_room = first.failure == MPI_SUCCESS;
  Error lost = relay.relay(static_cast<std::byte*>(whole.data), first.bytes, has_room);
  if (lost && has_room) first.failure = lost.error_class();
  error.note(std::move(lost));
  if (first.failure != MPI_SUCCESS) whole.count = 0;
  error.note(lend_itself(whole, visit, first.failure));
  if (!straight) keep(whole, data);
  error.note(visit.meet());
  return error.take();
}

Error take_for_host(const Phase& phase, Buffer data, int root, Visit& visit) {
  const Relay relay(phase, *visit.hosts(), root, visit.call());
  Parcel first;
  visit.claim_own();
  relay.receive_first(first);
  const MPI_Count bytes = first.bytes;
  Error failed = bytes <= kMostInParcel ? take_small(first, data, relay, visit)
                                        : take_large(first, data, relay, visit);
  return failed ? std::move(failed) : fits(bytes, data, root, phase.comm);
}

}  // namespace

Error bcast_in(const Phase& phase, const Buffer& data, int root, int failed) {
  if (!phase) return {};
  Visit visit(phase, call_of(What::kBcast, root, 0));
  if (phase.comm.rank() == root) return give(phase, data, root, failed, visit);
  if (visit.hosts() != nullptr && visit.giver_of(root) == visit.index()) [[unlikely]]
    return take_for_host(phase, data, root, visit);
  return take(phase, data, root, visit);
}

// The root leaves a small payload in the scratch memory; the others find it there.
bool Bcast::may_begin(HostGroup& host_group, HostGroup::Phase phase) const {
  if (data.bytes() > host_group.scratch_bytes()) return false;
  return root == comm.rank() || host_group.round(phase).tables->ready.is_set(phase);
}

bool Bcast::begin(const Phase& phase, Error* error) const {
  *error = bcast_in(phase, data, root, failed);
  return false;
}

Error Bcast::end(const Phase&) const {
  return {};
}

// The root says whether its data fit.
bool Bcast::perform_in(Turn& turn, Error* error) const {
  turn.begin(call_of(What::kBcast, root, 0));
  if (root == comm.rank()) {
    const bool fit = failed == MPI_SUCCESS && data.bytes() <= Turn::kMost;
    fit ? turn.give(data) : turn.give_elsewhere();
    return fit;
  }
  ConstBuffer from;
  bool elsewhere = false;
  *error = turn.take(root, &from, &elsewhere);
  if (elsewhere) return false;
  if (*error) return true;
  keep(from, data);
  *error = fits(from.bytes(), data, root, comm);
  return true;
}

Error Bcast::perform(const Ticket& ticket) const {
  if (root == MPI_PROC_NULL) return {};
  if (!comm.is_inter()) return bcast_in(ticket.phase(), data, root, failed);
  if (root == MPI_ROOT) return ticket.wire().send(data, 0);
  FirstError error;
  if (comm.rank() == 0) error.note(ticket.wire().receive(data, root));
  error.note(bcast_in(ticket.phase(), data, 0));
  return error.take();
}

}  // namespace heddle::coll
