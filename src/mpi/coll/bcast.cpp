// One rank's data to all (MPI 5.0 §6.4).
#include <algorithm>

#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
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

// Within a host one member gives and the others take. From a short payload the giver leaves a copy
// in the scratch memory and goes on; a long one they copy from where it is, while it waits. A giver
// that is alone on its host leaves no copy, because none reads it.
bool is_short(const ConstBuffer& data, const Visit& visit) {
  return data.bytes() <= visit.host_group().scratch_bytes();
}

Error lend(ConstBuffer data, int failed, Visit& visit) {
  if (Error e = visit.take_on_to_give()) return e;
  if (is_short(data, visit) && visit.host_group().members() > 1) {
    const Buffer copy = datatype::bytes_at(visit.scratch(), data.bytes());
    p2p::transfer(data, copy, copy.count);
    data = copy;
  }
  visit.lend(data, failed);
  return {};
}

Error end_loan(const ConstBuffer& data, Visit& visit) {
  return is_short(data, visit) ? visit.leave() : visit.meet();
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

// The root gives to its host and to the leaders of the others.
Error give(const Phase& phase, Buffer data, int root, int failed, Visit& visit) {
  if (failed != MPI_SUCCESS) [[unlikely]]
    data.count = 0;
  FirstError error;
  error.note(lend(data, failed, visit));
  if (visit.hosts() != nullptr) [[unlikely]] {
    visit.claim_own();
    error.note(Relay(phase, *visit.hosts(), root, visit.call()).give(data, failed));
  }
  error.note(end_loan(data, visit));
  return error.take();
}

// The leader of another host takes from there, and gives to its host in the root's place.
Error give_for_root(const Phase& phase, const Buffer& data, int root, Visit& visit) {
  Relay relay(phase, *visit.hosts(), root, visit.call());
  visit.claim_own();
  FirstError error;
  error.note(relay.take(data));
  const ConstBuffer from = relay.came();
  error.note(lend(from, relay.failure(), visit));
  if (!error.any()) error.note(visit.told());
  if (from.data != data.data) keep(from, data);
  error.note(end_loan(from, visit));
  error.note(fits(from.bytes(), data, root, phase.comm));
  return error.take();
}

}  // namespace

Error bcast_in(const Phase& phase, const Buffer& data, int root, int failed) {
  if (!phase) return {};
  Visit visit(phase, call_of(What::kBcast, root, 0));
  if (phase.comm.rank() == root) return give(phase, data, root, failed, visit);
  if (visit.hosts() != nullptr && visit.giver_of(root) == visit.index()) [[unlikely]]
    return give_for_root(phase, data, root, visit);
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
