// Nobody leaves before everybody has come (MPI 5.0 §6.3).
#include "mpi/coll/coll.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/meeting.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"

namespace heddle::coll {

namespace {

Error barrier_here(Comm& comm) {
  if (comm.size() == 1) return {};
  return Visit(comm, call_of(What::kBarrier, 0, 0)).meet();
}

}  // namespace

Error barrier(Comm& comm) {
  const object::InCall in_call(&comm, nullptr);
  if (!comm.is_inter()) return barrier_here(comm);
  FirstError error;
  error.note(barrier_here(comm.local_comm()));
  if (comm.rank() == 0) {
    const datatype::Buffer nothing{nullptr, 0, &datatype::named(MPI_BYTE)};
    const Wire across{comm, kBarrierTag};
    error.note(across.swap(nothing, 0, nothing, 0));
  }
  error.note(barrier_here(comm.local_comm()));
  return error.take();
}

}  // namespace heddle::coll
