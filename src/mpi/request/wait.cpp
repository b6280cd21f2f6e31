#include "mpi/request/wait.h"

#include "exec/ult/strand.h"

namespace heddle::request {

namespace {

// Returns when one of the active requests is done; false if none is active.
bool wait_for_one_of(MPI_Count count, const MPI_Request* handles) {
  ult::Strand& self = ult::Strand::current();
  MPI_Count enrolled_below = 0;  // all active requests before this index
  bool any_active = false, any_done = false;
  for (; enrolled_below < count && !any_done; ++enrolled_below) {
    Request* request = active_from(handles[enrolled_below]);
    if (request == nullptr) continue;
    any_active = true;
    any_done = !request->completion().enroll(self);
    if (any_done) break;
  }
  if (!any_active) return false;

  // Each request that was set while we were enrolled sends one wake-up; absorb them all.
  int wakes = 0;
  if (!any_done) {
    ult::Strand::park();
    --wakes;
  }
  for (MPI_Count i = 0; i < enrolled_below; ++i) {
    Request* request = active_from(handles[i]);
    if (request != nullptr && !request->completion().withdraw(self)) ++wakes;
  }
  for (; wakes > 0; --wakes) ult::Strand::park();
  return true;
}

// The index of the first active request that is done, or -1.
MPI_Count first_done(MPI_Count count, const MPI_Request* handles) {
  for (MPI_Count i = 0; i < count; ++i) {
    const Request* request = active_from(handles[i]);
    if (request != nullptr && request->done()) return i;
  }
  return -1;
}

}  // namespace

Error wait(MPI_Request* handle, MPI_Status* status, Blamed* blamed) {
  if (*handle == MPI_REQUEST_NULL) {
    write_empty_status(status);
    return {};
  }
  Request* request = from_handle(*handle);
  if (request == nullptr) [[unlikely]]
    return bad_request(*handle);
  if (!request->active()) {
    write_empty_status(status);
    return {};
  }
  request->wait();
  return conclude(handle, *request, status, blamed);
}

Error wait_all(MPI_Count count, MPI_Request* handles, MPI_Status* statuses, Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  for (MPI_Count i = 0; i < count; ++i) {
    if (Request* request = active_from(handles[i])) request->wait();
  }
  StatusArray results(statuses);
  for (MPI_Count i = 0; i < count; ++i) {
    if (Request* request = active_from(handles[i])) {
      results.conclude(i, i, &handles[i], *request, blamed);
    } else {
      results.put_empty(i);
    }
  }
  return results.verdict();
}

Error wait_any(MPI_Count count, MPI_Request* handles, int* index, MPI_Status* status,
               Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  MPI_Count done = first_done(count, handles);
  if (done < 0) {
    if (!wait_for_one_of(count, handles)) {
      *index = MPI_UNDEFINED;
      write_empty_status(status);
      return {};
    }
    done = first_done(count, handles);
  }
  *index = static_cast<int>(done);
  return conclude(&handles[done], *active_from(handles[done]), status, blamed);
}

Error wait_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                MPI_Status* statuses, Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  if (first_done(count, handles) < 0 && !wait_for_one_of(count, handles)) {
    *done_count = MPI_UNDEFINED;
    return {};
  }
  StatusArray results(statuses);
  int found = 0;
  for (MPI_Count i = 0; i < count; ++i) {
    Request* request = active_from(handles[i]);
    if (request == nullptr || !request->done()) continue;
    results.conclude(i, found, &handles[i], *request, blamed);
    indices[found++] = static_cast<int>(i);
  }
  *done_count = found;
  return results.verdict();
}

}  // namespace heddle::request
