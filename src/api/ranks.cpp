// MPIX_Rank_migrate, MPIX_Rank_worker, MPIX_Rank_load, MPIX_Worker_load, MPIX_Balance: checks and
// errors as in the generated functions.

#include "api/entry.h"
#include "heddle/mpix.h"
#include "runtime/balance/balance.h"
#include "runtime/balance/migrate.h"

using namespace heddle;
using namespace heddle::api;

int MPIX_Rank_migrate(MPI_Comm comm_, int rank, int worker) {
  take_due_turn();
  Entry entry{"MPIX_Rank_migrate"};
  if (!entry.running()) return entry.not_running();
  const comm::Comm* const comm = entry.comm(comm_);
  if (comm == nullptr) return bad_handle(entry, "comm", Kind::kComm, bits(comm_));
  if (no_peer(*comm, rank)) return bad_rank(entry, "rank", rank, kNothing);
  return finish(entry, runtime::migrate(*comm, rank, worker));
}

int MPIX_Rank_worker(MPI_Comm comm_, int rank, int* worker, int* workers) {
  take_due_turn();
  Entry entry{"MPIX_Rank_worker"};
  if (!entry.running()) return entry.not_running();
  const comm::Comm* const comm = entry.comm(comm_);
  if (comm == nullptr) return bad_handle(entry, "comm", Kind::kComm, bits(comm_));
  if (no_peer(*comm, rank)) return bad_rank(entry, "rank", rank, kNothing);
  if (worker == nullptr) return null_pointer(entry, "worker", MPI_ERR_ARG);
  if (workers == nullptr) return null_pointer(entry, "workers", MPI_ERR_ARG);
  return finish(entry, runtime::get_worker(*comm, rank, worker, workers));
}

int MPIX_Rank_load(MPI_Comm comm_, int rank, double* seconds) {
  take_due_turn();
  Entry entry{"MPIX_Rank_load"};
  if (!entry.running()) return entry.not_running();
  const comm::Comm* const comm = entry.comm(comm_);
  if (comm == nullptr) return bad_handle(entry, "comm", Kind::kComm, bits(comm_));
  if (no_peer(*comm, rank)) return bad_rank(entry, "rank", rank, kNothing);
  if (seconds == nullptr) return null_pointer(entry, "seconds", MPI_ERR_ARG);
  return finish(entry, runtime::get_rank_load(*comm, rank, seconds));
}

int MPIX_Worker_load(int worker, double* seconds) {
  take_due_turn();
  Entry entry{"MPIX_Worker_load"};
  if (!entry.running()) return entry.not_running();
  if (seconds == nullptr) return null_pointer(entry, "seconds", MPI_ERR_ARG);
  return finish(entry, runtime::get_worker_load(worker, seconds));
}

int MPIX_Balance(MPI_Comm comm_, MPIX_Balance_function* policy, void* extra_state, int* moved) {
  take_due_turn();
  Entry entry{"MPIX_Balance"};
  if (!entry.running()) return entry.not_running();
  const comm::Comm* const comm = entry.comm(comm_);
  if (comm == nullptr) return bad_handle(entry, "comm", Kind::kComm, bits(comm_));
  return finish(entry, runtime::balance(*comm, policy, extra_state, moved));
}
