#include "mpi/request/start.h"

#include <algorithm>
#include <vector>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::request {

namespace {

// Requests that were freed while active. The strand that completes one may belong to another rank,
// which must not free our memory; so we look again at each free.
struct Detached {
  SpinLock lock;
  std::vector<object::Ref<Request>> requests;
};
RankLocal<Detached> detached_of_rank;

void detach(object::Ref<Request> request) {
  std::vector<object::Ref<Request>> finished;  // destroyed without the lock
  Detached& detached = detached_of_rank.get();
  SpinGuard guard(detached.lock);
  auto& all = detached.requests;
  all.push_back(std::move(request));
  const auto first = std::partition(all.begin(), all.end(),
                                    [](const object::Ref<Request>& r) { return !r->done(); });
  std::move(first, all.end(), std::back_inserter(finished));
  all.erase(first, all.end());
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

Error free(MPI_Request* handle) {
  auto request = retire(*handle);
  if (!request) return bad_request(*handle);
  if (request->active() && !request->done()) detach(std::move(request));
  *handle = MPI_REQUEST_NULL;
  return {};
}

void end_detached() {
  std::vector<object::Ref<Request>> all;  // destroyed without the lock
  Detached& detached = detached_of_rank.get();
  SpinGuard guard(detached.lock);
  all.swap(detached.requests);
}

Error cancel(MPI_Request* handle) {
  Request* request = from_handle(*handle);
  if (request == nullptr) return bad_request(*handle);
  if (request->active()) request->cancel();
  return {};
}

}  // namespace heddle::request
