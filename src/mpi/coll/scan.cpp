// Reductions over the ranks up to each one (MPI 5.0 §6.11), as a chain: see coll.h.
#include "mpi/coll/first_error.h"
#include "mpi/coll/reduce.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

Error only_inside_one_group(const Comm& comm) {
  if (!comm.is_inter()) return {};
  return Error::make(MPI_ERR_COMM, "argument comm is %s, an intercommunicator",
                     comm::describe(comm).c_str());
}

}  // namespace

Error scan(const void* send, Buffer result, const op::Op& op, Comm& comm) {
  if (Error e = only_inside_one_group(comm)) return e;
  const object::InCall in_call(&comm, result.type, &op);
  const Wire wire{comm, kScanTag};
  FirstError error;
  if (send != MPI_IN_PLACE) {
    p2p::transfer({send, result.count, result.type}, result, result.bytes());
  }
  if (comm.rank() > 0) {
    Scratch lower;
    if (Error e = lower.reserve(result.count, *result.type)) return e;
    Error failed = wire.receive(lower.buffer(), comm.rank() - 1);
    if (!failed) op.apply(lower.data(), result.data, result.count, *result.type);
    error.note(std::move(failed));
  }
  if (comm.rank() + 1 < comm.size()) error.note(wire.send(result, comm.rank() + 1));
  return error.take();
}

Error exscan(const void* send, Buffer result, const op::Op& op, Comm& comm) {
  if (Error e = only_inside_one_group(comm)) return e;
  const object::InCall in_call(&comm, result.type, &op);
  const Wire wire{comm, kScanTag};
  const bool last = comm.rank() + 1 == comm.size();
  const ConstBuffer own{own_of(send, result), result.count, result.type};
  if (comm.rank() == 0) return last ? Error{} : wire.send(own, 1);

  Scratch through;  // ours included, for the next rank
  if (Error e = through.reserve(result.count, *result.type)) return e;
  p2p::transfer(own, through.buffer(), own.bytes());
  Error failed = wire.receive(result, comm.rank() - 1);
  if (last) return failed;
  if (!failed) op.apply(result.data, through.data(), result.count, *result.type);
  FirstError error;
  error.note(std::move(failed));
  error.note(wire.send(through.buffer(), comm.rank() + 1));
  return error.take();
}

}  // namespace heddle::coll
