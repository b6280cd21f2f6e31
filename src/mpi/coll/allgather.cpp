// Everybody's pieces to everybody (MPI 5.0 §6.7).
#include "mpi/coll/coll.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"
#include "mpi/p2p/message.h"

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
  if (Error e = gather(send, receive, 0, comm)) return e;
  if (receive.uniform()) return bcast(receive.whole(comm.size()), 0, comm);
  return bcast_packed(receive, bytes, comm);
}

// In step i each rank passes on the piece that came i steps ago.
Error ring(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const Wire wire{comm, kAllgatherTag};
  const int size = comm.size(), rank = comm.rank();
  if (send.data != MPI_IN_PLACE) p2p::transfer(send, receive[rank], send.bytes());
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int i = 0; i < size - 1; ++i) {
    const Buffer out = receive[(rank + size - i) % size];
    const Buffer in = receive[(rank + 2 * size - i - 1) % size];
    if (Error e = wire.swap(out, next, in, previous)) return e;
  }
  return {};
}

Error each_with_each(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const int peers = comm.peers().size();
  Batch batch(Wire{comm, kAllgatherTag});
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) {
    if (Error e = batch.send(send, i)) return e;
  }
  return batch.finish();
}

}  // namespace

Error allgather(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const object::InCall in_call(&comm, receive.type(),
                               send.data != MPI_IN_PLACE ? send.type : nullptr);
  if (comm.is_inter()) return each_with_each(send, receive, comm);
  if (send.data != MPI_IN_PLACE && send.bytes() > receive[comm.rank()].bytes()) {
    return Error::make(MPI_ERR_TRUNCATE, "the rank sends %lld bytes to itself but receives %lld",
                       static_cast<long long>(send.bytes()),
                       static_cast<long long>(receive[comm.rank()].bytes()));
  }
  const MPI_Count bytes = receive.bytes(comm.size());
  if (bytes < kRingFrom) return gather_and_bcast(send, receive, bytes, comm);
  return ring(send, receive, comm);
}

}  // namespace heddle::coll
