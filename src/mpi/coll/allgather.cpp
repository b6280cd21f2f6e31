// The pieces of all ranks to all ranks (MPI 5.0 §6.7).
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/coll/scratch.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// Up to here 2 (n - 1) messages beat the n (n - 1) of the ring.
constexpr MPI_Count kRingFrom = 65536;

// Pieces with gaps or of different sizes travel packed.
Error bcast_packed(const Turn& turn, const Pieces& pieces) {
  const Comm& comm = turn.comm;
  Scratch packed;
  FirstError error;
  error.note(packed.reserve_bytes(pieces.bytes(comm.size())));
  if (error.any()) {
    error.note(bcast_in(turn, datatype::nothing(), 0, MPI_ERR_NO_MEM));
    return error.take();
  }
  auto* data = static_cast<std::byte*>(packed.data());
  MPI_Count position = 0;
  for (int i = 0; i < comm.size() && comm.rank() == 0; ++i) {
    datatype::pack(pieces[i], 0, data + position, pieces[i].bytes());
    position += pieces[i].bytes();
  }
  if (Error e = bcast_in(turn, packed.buffer(), 0)) return e;
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
  error.note(receive.uniform() ? bcast_in(ticket.turn(), receive.whole(comm.size()), 0)
                               : bcast_packed(ticket.turn(), receive));
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

// All members here, and pieces of one length that fit on the board together: they lie there as in the result.
Error on_board(const Turn& turn, ConstBuffer own, const Pieces& receive) {
  const MPI_Count each = receive[0].bytes();
  Error too_long = fits_oneself(own, receive[turn.comm.rank()]);
  Visit visit(turn, call_of(What::kAllgather, 0, details_of(own.bytes(), each)));
  const Buffer mine = datatype::bytes_at(visit.board() + visit.index() * each, each);
  p2p::transfer(own, mine, std::min(own.bytes(), each));
  if (Error e = visit.meet()) return too_long ? std::move(too_long) : std::move(e);
  const Buffer all = datatype::bytes_at(visit.board(), each * turn.comm.size());
  p2p::transfer(all, receive.whole(turn.comm.size()), all.count);
  return {};
}

// All members here.
Error by_lending(const Turn& turn, ConstBuffer own, const Pieces& receive, bool in_place) {
  Visit visit(turn, call_of(What::kAllgather, 0, 0));
  const int size = turn.comm.size(), me = visit.index();
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

int Allgather::turns() const {
  return all_are_here(comm) || small() ? 1 : 0;
}

bool Allgather::small() const noexcept {
  return !comm.is_inter() && receive.bytes(comm.size()) < kRingFrom;
}

Error Allgather::perform_here(const Turn& turn) const {
  const bool in_place = send.data == MPI_IN_PLACE;
  const ConstBuffer own = in_place ? ConstBuffer(receive[comm.rank()]) : send;
  const MPI_Count board = Meeting::of(comm).board_bytes();
  const bool fit = receive.uniform() && receive.bytes(comm.size()) <= board;
  return fit ? on_board(turn, own, receive) : by_lending(turn, own, receive, in_place);
}

bool Allgather::keep_arrays() noexcept {
  return receive.keep_arrays(comm.peers().size());
}

Error Allgather::perform(const Ticket& ticket) const {
  if (comm.is_inter()) return each_with_each(ticket.wire(), send, receive);
  if (all_are_here(comm)) return perform_here(ticket.turn());
  if (small()) return gather_and_bcast(ticket, send, receive);
  return ring(ticket.wire(), send, receive);
}

}  // namespace heddle::coll
