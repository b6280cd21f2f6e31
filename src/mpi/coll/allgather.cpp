// Everybody's pieces to everybody (MPI 5.0 §6.7).
#include "mpi/coll/coll.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"

namespace heddle::coll {

namespace {

// Up to here 2 (n - 1) messages beat the n (n - 1) of the ring.
constexpr MPI_Count kRingFrom = 65536;

// Pieces with gaps or of different sizes travel packed.
Error bcast_packed(const Pieces& pieces, MPI_Count bytes, Comm& comm) {
  Scratch packed;
  if (Error e = packed.reserve_bytes(bytes)) return e;
  auto* data = static_cast<std::byte*>(packed.data());
  MPI_Count position = 0;
  for (int i = 0; i < comm.size() && comm.rank() == 0; ++i) {
    datatype::pack(pieces[i], 0, data + position, pieces[i].bytes());
    position += pieces[i].bytes();
  }
  if (Error e = bcast(packed.buffer(), 0, comm)) return e;
  position = 0;
  for (int i = 0; i < comm.size() && comm.rank() != 0; ++i) {
    datatype::unpack(pieces[i], 0, data + position, pieces[i].bytes());
    position += pieces[i].bytes();
  }
  return {};
}

Error gather_and_bcast(ConstBuffer send, const Pieces& receive, MPI_Count bytes, Comm& comm) {
  if (send.data == MPI_IN_PLACE && comm.rank() != 0) send = receive[comm.rank()];
  FirstError error;
  if (send.data != MPI_IN_PLACE) error.note(fits_oneself(send, receive[comm.rank()]));
  error.note(gather(send, receive, 0, comm));
  error.note(receive.uniform() ? bcast(receive.whole(comm.size()), 0, comm)
                               : bcast_packed(receive, bytes, comm));
  return error.take();
}

// In step i each rank passes on the piece that came i steps ago.
Error ring(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const Wire wire{comm, kAllgatherTag};
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

Error each_with_each(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const int peers = comm.peers().size();
  Batch batch(Wire{comm, kAllgatherTag});
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) batch.send(send, i);
  return batch.finish();
}

}  // namespace

Error allgather(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const object::InCall in_call(&comm, receive.type(),
                               send.data != MPI_IN_PLACE ? send.type : nullptr);
  if (comm.is_inter()) return each_with_each(send, receive, comm);
  const MPI_Count bytes = receive.bytes(comm.size());
  if (bytes < kRingFrom) return gather_and_bcast(send, receive, bytes, comm);
  return ring(send, receive, comm);
}

}  // namespace heddle::coll
