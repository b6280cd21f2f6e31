// The pieces of all ranks to all ranks (MPI 5.0 §6.7).
#include <algorithm>

#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/host_ring.h"
#include "mpi/coll/lending.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// Up to here 2 (n - 1) messages beat a ring.
constexpr MPI_Count kRingFrom = 65536;

// Pieces with gaps or of different sizes travel packed.
Error bcast_packed(const Phase& phase, const Pieces& pieces) {
  const Comm& comm = phase.comm;
  StagingBuffer packed;
  FirstError error;
  error.note(packed.reserve_bytes(pieces.bytes(comm.size())));
  if (error.any()) {
    error.note(bcast_in(phase, datatype::nothing(), 0, MPI_ERR_NO_MEM));
    return error.take();
  }
  auto* data = static_cast<std::byte*>(packed.data());
  MPI_Count position = 0;
  for (int i = 0; i < comm.size() && comm.rank() == 0; ++i) {
    datatype::pack(pieces[i], 0, data + position, pieces[i].bytes());
    position += pieces[i].bytes();
  }
  if (Error e = bcast_in(phase, packed.buffer(), 0)) return e;
  position = 0;
  for (int i = 0; i < comm.size() && comm.rank() != 0; ++i) {
    datatype::unpack(pieces[i], 0, data + position, pieces[i].bytes());
    position += pieces[i].bytes();
  }
  return {};
}

Error gather_and_bcast(const Ticket& ticket, ConstBuffer send, const Pieces& receive) {
  const Comm& comm = ticket.comm();
  if (send.data == MPI_IN_PLACE && comm.rank() != 0) send = receive[comm.rank()];
  FirstError error;
  if (send.data != MPI_IN_PLACE) error.note(fits_oneself(send, receive[comm.rank()]));
  error.note(gather_by(ticket.wire(), send, receive, 0));
  error.note(receive.uniform() ? bcast_in(ticket.phase(), receive.whole(comm.size()), 0)
                               : bcast_packed(ticket.phase(), receive));
  return error.take();
}

// In step i each rank passes on the piece that came i steps ago.
Error ring(const Wire& wire, ConstBuffer send, const Pieces& receive) {
  const Comm& comm = wire.comm;
  const int size = comm.size(), rank = comm.rank();
  FirstError error;
  if (send.data != MPI_IN_PLACE) error.note(to_oneself(send, receive[rank]));
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int i = 0; i < size - 1; ++i) {
    const Buffer out = receive[(rank + size - i) % size];
    const Buffer in = receive[(rank + 2 * size - i - 1) % size];
    error.note(wire.swap(out, next, in, previous));
  }
  return error.take();
}

// All members here, and pieces of one length that fit in the scratch memory together: they lie
// there as in the result.
Error in_scratch(const Phase& phase, ConstBuffer own, const Pieces& receive) {
  const MPI_Count each = receive[0].bytes();
  Error too_long = fits_oneself(own, receive[phase.comm.rank()]);
  Visit visit(phase, call_of(What::kAllgather, 0, details_of(own.bytes(), each)));
  const Buffer mine = datatype::bytes_at(visit.scratch() + visit.index() * each, each);
  p2p::transfer(own, mine, std::min(own.bytes(), each));
  if (Error e = visit.meet()) return too_long ? std::move(too_long) : std::move(e);
  const Buffer all = datatype::bytes_at(visit.scratch(), each * phase.comm.size());
  p2p::transfer(all, receive.whole(phase.comm.size()), all.count);
  return {};
}

// All members here.
Error by_lending(const Phase& phase, ConstBuffer own, const Pieces& receive, bool in_place) {
  Visit visit(phase, call_of(What::kAllgather, 0, 0));
  const int size = phase.comm.size(), me = visit.index();
  Loan loan(visit);
  loan.lend(own);
  if (Error e = visit.meet()) return e;
  FirstError error;
  for (int i = 0; i < size; ++i) {
    const int from = (me + i) % size;
    if (from != me || !in_place) error.note(loan.take(from, receive[from]));
  }
  loan.finish();
  return error.take();
}

Error each_with_each(const Wire& wire, ConstBuffer send, const Pieces& receive) {
  const int peers = wire.comm.peers().size();
  Batch batch(wire);
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) batch.send(send, i);
  return batch.finish();
}

}  // namespace

int Allgather::phases() const {
  return some_share_a_host(comm) || small() ? 1 : 0;
}

bool Allgather::small() const noexcept {
  return !comm.is_inter() && receive.bytes(comm.size()) < kRingFrom;
}

ConstBuffer Allgather::own() const noexcept {
  return in_place() ? ConstBuffer(receive[comm.rank()]) : send;
}

Error Allgather::perform_here(const Phase& phase) const {
  const MPI_Count scratch = HostGroup::of(comm).scratch_bytes();
  const bool fit = receive.uniform() && receive.bytes(comm.size()) <= scratch;
  return fit ? in_scratch(phase, own(), receive) : by_lending(phase, own(), receive, in_place());
}

// The members of a host lend their data to its leader, which lends them what all hosts have.
Error Allgather::perform_between(const Phase& phase) const {
  const HostsOf& hosts = *HostGroup::of(comm).hosts();
  const HostRing ring(hosts, receive, comm.size());
  FirstError error;
  error.note(fits_oneself(own(), receive[comm.rank()]));
  Visit visit(phase, call_of(What::kAllgather, 0, ring.bytes()));
  StagingBuffer memory;
  if (visit.is_leader()) {
    error.note(memory.reserve_bytes(ring.bytes()));
    if (memory.data() == nullptr) visit.fail();
  }
  Loan(visit).lend(own());
  auto* const bytes = static_cast<std::byte*>(memory.data());
  const Lent all{bytes, nullptr, nullptr};
  error.note(visit.meet([&] {
    visit.set_mismatch(ring.exchange(phase, visit.call(), visit.mismatch(), visit.lent(), bytes));
    visit.lend_for_host(&all);
  }));
  if (!visit.agreed()) return error.take();
  ring.read(static_cast<const std::byte*>(visit.lent_for_host()->data));
  visit.meet_again();
  return error.take();
}

bool Allgather::keep_arrays() noexcept {
  return receive.keep_arrays(comm.peers().size());
}

// If each member's data fit into its slot; one whose data do not says so.
bool Allgather::perform_in(Turn& turn, Error* error) const {
  const int rank = comm.rank();
  const ConstBuffer mine = own();
  const MPI_Count details = receive.uniform() ? details_of(mine.bytes(), receive[0].bytes()) : 0;
  turn.begin(call_of(What::kAllgather, 0, details));
  if (mine.bytes() > Turn::kMost) {
    turn.give_elsewhere();
    return false;
  }
  turn.give(mine);
  FirstError first;
  if (!in_place()) first.note(to_oneself(mine, receive[rank]));
  bool elsewhere = false;
  for (int from = 0; from < comm.size(); ++from) {
    if (from == rank) continue;
    ConstBuffer given = datatype::nothing();
    Error unlike = turn.take(from, &given, &elsewhere);
    first.note(unlike ? std::move(unlike) : copy_from(from, given, receive[from]));
  }
  if (elsewhere) return false;
  *error = first.take();
  return true;
}

Error Allgather::perform(const Ticket& ticket) const {
  if (comm.is_inter()) return each_with_each(ticket.wire(), send, receive);
  if (all_are_here(comm)) return perform_here(ticket.phase());
  if (small()) return gather_and_bcast(ticket, send, receive);
  return some_share_a_host(comm) ? perform_between(ticket.phase())
                                 : ring(ticket.wire(), send, receive);
}

}  // namespace heddle::coll
