// The pieces of all ranks to all ranks (MPI 5.0 §6.7).
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/scratch.h"

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

Error each_with_each(const Wire& wire, ConstBuffer send, const Pieces& receive) {
  const int peers = wire.comm.peers().size();
  Batch batch(wire);
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) batch.send(send, i);
  return batch.finish();
}

}  // namespace

bool Allgather::small() const noexcept {
  return !comm.is_inter() && receive.bytes(comm.size()) < kRingFrom;
}

bool Allgather::keep_arrays() noexcept {
  return receive.keep_arrays(comm.peers().size());
}

Error Allgather::perform(const Ticket& ticket) const {
  if (comm.is_inter()) return each_with_each(ticket.wire(), send, receive);
  if (small()) return gather_and_bcast(ticket, send, receive);
  return ring(ticket.wire(), send, receive);
}

}  // namespace heddle::coll
