#include "runtime/migrate.h"

#include <mpi.h>

#include <atomic>

#include "exec/ult/scheduler.h"
#include "mpi/group/group.h"
#include "net/world/host.h"
#include "runtime/job.h"

namespace heddle::runtime {

namespace {

// The rank as this host moves it.
Error find(const comm::Comm& comm, int rank, Resident** out) {
  const world::Process& process = comm.peers().member(rank);
  if (!ult::running()) {
    return Error::make(
        MPI_ERR_UNSUPPORTED_OPERATION,
        "ranks of this job are processes, which have no workers; start it by mpiexec "
        "with --ranks-as threads");
  }
  const bool is_here = process.host == world::here().process->host;
  *out = is_here ? find_resident(process.number) : nullptr;
  if (*out != nullptr) return {};
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "argument rank is %d, which runs in another process than the caller; a rank "
                     "has a worker only for ranks of its own process",
                     rank);
}

}  // namespace

Error migrate(const comm::Comm& comm, int rank, int worker) {
  Resident* resident = nullptr;
  if (Error e = find(comm, rank, &resident)) return e;
  const int workers = ult::worker_count();
  if (worker < 0 || worker >= workers) {
    return Error::make(MPI_ERR_ARG, "argument worker is %d, but there are workers 0 to %d", worker,
                       workers - 1);
  }
  heap::FollowingPages* const pages = resident->move(worker);
  if (pages != nullptr) pages->follow(ult::core_of(worker).numa_node);
  return {};
}

Error get_worker(const comm::Comm& comm, int rank, int* worker, int* workers) {
  Resident* resident = nullptr;
  if (Error e = find(comm, rank, &resident)) return e;
  // relaxed: the number itself is all that is asked for.
  *worker = std::atomic_ref(comm.peers().member(rank).worker).load(std::memory_order_relaxed);
  *workers = ult::worker_count();
  return {};
}

}  // namespace heddle::runtime
