// Reductions over the ranks up to each one (MPI 5.0 §6.11), as a chain: see coll.h.
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

Error ScanArguments::check() const {
  if (!comm.is_inter()) return {};
  return Error::make(MPI_ERR_COMM, "argument comm is %s, an intercommunicator",
                     comm::describe(comm).c_str());
}

Error Scan::perform(const Ticket& ticket) const {
  const Wire wire = ticket.wire();
  FirstError error;
  if (send != MPI_IN_PLACE) {
    p2p::transfer({send, result.count, result.type}, result, result.bytes());
  }
  if (comm.rank() > 0) {
    StagingBuffer lower;
    error.note(lower.reserve(result.count, *result.type));
    error.note(wire.receive(lower.buffer(), comm.rank() - 1));
    if (!error.any()) op.apply(lower.data(), result.data, result.count, *result.type);
  }
  if (comm.rank() + 1 < comm.size()) error.note(wire.send(result, comm.rank() + 1));
  return error.take();
}

Error Exscan::perform(const Ticket& ticket) const {
  const Wire wire = ticket.wire();
  const bool last = comm.rank() + 1 == comm.size();
  const ConstBuffer own{own_of(send, result), result.count, result.type};
  if (comm.rank() == 0) return last ? Error{} : wire.send(own, 1);

  StagingBuffer through;  // ours included, for the next rank
  FirstError error;
  error.note(through.reserve(result.count, *result.type));
  if (!error.any()) p2p::transfer(own, through.buffer(), own.bytes());
  error.note(wire.receive(result, comm.rank() - 1));
  if (last) return error.take();
  if (!error.any()) op.apply(result.data, through.data(), result.count, *result.type);
  error.note(wire.send(through.buffer(), comm.rank() + 1));
  return error.take();
}

}  // namespace heddle::coll
