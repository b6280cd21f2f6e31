// A piece from each rank to each rank (MPI 5.0 §6.8).
#include <cstddef>
#include <vector>

#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/scratch.h"

namespace heddle::coll {

namespace {

// Messages under way at a time, in each direction.
constexpr int kWindow = 32;

// `out(i)` is what rank i gets. In step i each rank sends i ranks up, so that all are in the same
// window at the same time and none waits for one that cannot go on.
template <class Out>
Error in_windows(const Wire& wire, Out out, const Pieces& receive) {
  const Comm& comm = wire.comm;
  const int size = comm.size(), rank = comm.rank();
  Batch batch(wire);
  for (int first = 1; first < size; first += kWindow) {
    const int last = first + kWindow < size ? first + kWindow : size;
    for (int i = first; i < last; ++i) {
      const int from = (rank + size - i) % size;
      batch.receive(receive[from], from);
    }
    for (int i = first; i < last; ++i) {
      const int to = (rank + i) % size;
      batch.send(out(to), to);
    }
    batch.wait();
  }
  return batch.finish();
}

// What is received replaces what is sent, so that goes into a copy first.
Error in_place(const Wire& wire, const Pieces& pieces) {
  const int size = wire.comm.size();
  Scratch copy;
  FirstError error;
  error.note(copy.reserve_bytes(pieces.bytes(size)));
  if (error.any()) {
    error.note(in_windows(
        wire, [](int) -> ConstBuffer { return datatype::nothing(); }, pieces));
    return error.take();
  }
  std::vector<std::byte*> packed(static_cast<std::size_t>(size));
  auto* position = static_cast<std::byte*>(copy.data());
  for (int i = 0; i < size; ++i) {
    const Buffer piece = pieces[i];
    datatype::pack(piece, 0, position, piece.bytes());
    packed[static_cast<std::size_t>(i)] = position;
    position += piece.bytes();
  }
  const auto out = [&](int i) {
    return ConstBuffer(datatype::bytes_at(packed[static_cast<std::size_t>(i)], pieces[i].bytes()));
  };
  return in_windows(wire, out, pieces);
}

// The sides of an intercommunicator differ in size, so there are no common steps.
Error across(const Wire& wire, const Pieces& send, const Pieces& receive) {
  const int peers = wire.comm.peers().size();
  Batch batch(wire);
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) batch.send(send[i], i);
  return batch.finish();
}

}  // namespace

Error Alltoall::check() {
  const int peers = comm.peers().size();
  if (Error e = receive.hold_types("recvtypes", peers)) return e;
  return send.in_place() ? Error{} : send.hold_types("sendtypes", peers);
}

bool Alltoall::keep_arrays() noexcept {
  const int peers = comm.peers().size();
  return receive.keep_arrays(peers) && (send.in_place() || send.keep_arrays(peers));
}

Error Alltoall::perform(const Ticket& ticket) const {
  const Wire wire = ticket.wire();
  if (send.in_place()) return in_place(wire, receive);
  if (comm.is_inter()) return across(wire, send, receive);
  FirstError error;
  error.note(to_oneself(send[comm.rank()], receive[comm.rank()]));
  error.note(in_windows(
      wire, [&](int i) -> ConstBuffer { return send[i]; }, receive));
  return error.take();
}

}  // namespace heddle::coll
