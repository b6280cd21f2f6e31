#include "mpi/request/start.h"

#include "exec/rank/rank.h"
#include "mpi/request/detached.h"
#include "mpi/request/generalized.h"

namespace heddle::request {

namespace {

RankLocal<Detached> detached_of_rank;
RankLocal<Detached> detached_of_sessions;

// Where it is kept once it is freed. MPI_Finalize's barrier has seen the messages of MPI_COMM_WORLD
// and of what comes from it.
Detached& keeper_of(const Request& request) {
  const Blamed comm = request.comm();
  const bool of_session = comm && comm->group().session();
  return of_session ? detached_of_sessions.get() : detached_of_rank.get();
}

// Requires that the request cannot be started.
Error misuse_of(const Request& request) {
  return Error::make(MPI_ERR_REQUEST, request.persistent()
                                          ? "the request is active already; wait for it first"
                                          : "the request is not persistent");
}

Error start_one(Request& request, Blamed* blamed) {
  const bool ready = request.persistent() && !request.active();
  Error error = ready ? request.start() : misuse_of(request);
  if (error) *blamed = request.comm();
  return error;
}

Error refusal_of(const Request& request, Blamed* blamed) {
  Error error = request.refuse_to_end();
  if (error) *blamed = request.comm();
  return error;
}

}  // namespace

Error start(MPI_Request* handle, Blamed* blamed) {
  Request* request = from_handle(*handle);
  if (request == nullptr) return bad_request(*handle);
  return start_one(*request, blamed);
}

Error start_all(MPI_Count count, MPI_Request* handles, Blamed* blamed) {
  for (MPI_Count i = 0; i < count; ++i) {
    Request* request = from_handle(handles[i]);
    if (request == nullptr) return bad_request(i, handles[i]);
    if (Error e = start_one(*request, blamed)) return e;
  }
  return {};
}

Error free(MPI_Request* handle, Blamed* blamed) {
  Request* const found = from_handle(*handle);
  if (found != nullptr && found->generalized() != nullptr) {
    *handle = MPI_REQUEST_NULL;
    return found->generalized()->free_by_program();
  }
  if (found != nullptr && found->active() && !found->done()) {
    if (Error e = refusal_of(*found, blamed)) return e;
  }
  auto request = retire(*handle);
  if (!request) return bad_request(*handle);
  if (request->active() && !request->done()) {
    request->stand_alone();
    Detached& keeper = keeper_of(*request);
    keeper.add(std::move(request));
  }
  *handle = MPI_REQUEST_NULL;
  return {};
}

bool awaits_detached() noexcept {
  return detached_of_sessions.get().any_active();
}

void await_detached() {
  detached_of_sessions.get().await_all();
}

void end_detached() {
  detached_of_rank.get().end_all();
  detached_of_sessions.get().end_all();
}

Error cancel(MPI_Request* handle, Blamed* blamed) {
  Request* request = from_handle(*handle);
  if (request == nullptr) return bad_request(*handle);
  if (request->generalized() != nullptr) return request->generalized()->cancel_by_program();
  if (!request->active()) return {};
  if (Error e = refusal_of(*request, blamed)) return e;
  request->cancel();
  return {};
}

}  // namespace heddle::request
