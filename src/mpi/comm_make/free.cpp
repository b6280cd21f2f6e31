// The end of communicators (MPI 5.0 §7.4.3, §11.10.4).

#include "mpi/coll/coll.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/lifetime/freeing.h"
#include "mpi/object/handle_table.h"
#include "mpi/p2p/buffered.h"

namespace heddle::comm_make {

namespace {

Error find_freeable(MPI_Comm handle, Comm** out) {
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which may not be freed",
                       handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
  }
  *out = comm::from_handle(handle);
  if (*out != nullptr) return {};
  return Error::make(
      MPI_ERR_COMM, "argument comm is %s",
      handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator, or already freed");
}

// The callbacks run while the handle is still good.
Error give_up(Comm& comm, MPI_Comm* handle) {
  if (Error e = lifetime::Freeing::check_unused(comm, MPI_ERR_COMM, "comm")) return e;
  if (Error e = comm.attributes().clear(comm)) return e;
  p2p::forget_buffer(comm);
  // The object may live on for long: pending operations keep it, and the collector ends it only now
  // and then.
  if (world::Receiver* receiver = comm.group().member(comm.rank()).receiver.get()) {
    receiver->forget_idle(comm.context());
  }
  const lifetime::Freeing freeing;
  object::Object* mine =
      object::retire(object::Kind::kComm, reinterpret_cast<object::HandleBits>(*handle));
  if (mine != nullptr) mine->release();
  *handle = MPI_COMM_NULL;
  return {};
}

}  // namespace

Error free_comm(MPI_Comm* handle) {
  Comm* comm = nullptr;
  if (Error e = find_freeable(*handle, &comm)) return e;
  return give_up(*comm, handle);
}

Error disconnect(MPI_Comm* handle) {
  Comm* comm = nullptr;
  if (Error e = find_freeable(*handle, &comm)) return e;
  if (Error e = coll::run(coll::Barrier{comm->is_inter() ? comm->local_comm() : *comm})) return e;
  return give_up(*comm, handle);
}

}  // namespace heddle::comm_make
