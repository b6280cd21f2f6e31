#include "runtime/balance/migrate.h"

#include <mpi.h>

#include <atomic>

#include "exec/process/time/load.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/scheduler.h"
#include "mpi/group/group.h"
#include "net/world/host.h"
#include "runtime/crew/crew.h"

namespace heddle::runtime {

namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

Error check_worker(int worker) {
  const int workers = ult::worker_count();
  if (worker >= 0 && worker < workers) return {};
  return Error::make(MPI_ERR_ARG, "argument worker is %d, but there are workers 0 to %d", worker,
                     workers - 1);
}

// The rank as this host moves it.
Error find(const comm::Comm& comm, int rank, Resident** out) {
  if (Error e = check_workers()) return e;
  *out = find_here(comm, rank);
  if (*out != nullptr) return {};
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "argument rank is %d, which runs in another process than the caller; a rank "
                     "has a worker only for ranks of its own process",
                     rank);
}

}  // namespace

Error check_workers() {
  if (ult::running()) return {};
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "ranks of this job are processes, which have no workers; start it by mpiexec "
                     "with --ranks-as threads");
}

Resident* find_here(const comm::Comm& comm, int rank) noexcept {
  const world::Process& process = comm.peers().member(rank);
  return process.host == world::here().process->host ? find_resident(process.number) : nullptr;
}

Error migrate(const comm::Comm& comm, int rank, int worker) {
  Resident* resident = nullptr;
  if (Error e = find(comm, rank, &resident)) return e;
  if (Error e = check_worker(worker)) return e;
  move_with_pages(*resident, worker);
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

Error get_rank_load(const comm::Comm& comm, int rank, double* seconds) {
  Resident* resident = nullptr;
  if (Error e = find(comm, rank, &resident)) return e;
  process::measure_loads();
  ult::charge_now();
  *seconds = static_cast<double>(resident->weight().spent_ns) * kSecondsPerNanosecond;
  return {};
}

Error get_worker_load(int worker, double* seconds) {
  if (Error e = check_workers()) return e;
  if (Error e = check_worker(worker)) return e;
  process::measure_loads();
  ult::charge_now();
  *seconds = static_cast<double>(ult::charged_by_worker(worker)) * kSecondsPerNanosecond;
  return {};
}

}  // namespace heddle::runtime
