#include "mpi/request/testing.h"

#include <algorithm>
#include <utility>

#include "exec/ult/strand.h"
#include "mpi/request/census.h"
#include "mpi/request/wait.h"

namespace heddle::request {

namespace {

// Counts twice if fewer than `enough` are done at first.
Census count_patiently(MPI_Count count, const MPI_Request* handles, MPI_Count enough) {
  const Census census = take_census(count, handles);
  if (census.active == 0 || census.done >= std::min(enough, census.active)) return census;
  return ult::relax() ? take_census(count, handles) : census;
}

bool done_after_a_while(Request& request) {
  return request.done() || (ult::relax() && request.done());
}

MPI_Status* at(MPI_Status* statuses, MPI_Count place) noexcept {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + place;
}

void keep_first(Error error, Error* first) {
  if (!*first) *first = std::move(error);
}

}  // namespace

Error test(MPI_Request* handle, int* flag, MPI_Status* status, Blamed* blamed) {
  Request* request = *handle == MPI_REQUEST_NULL ? nullptr : from_handle(*handle);
  if (request == nullptr && *handle != MPI_REQUEST_NULL) [[unlikely]]
    return bad_request(*handle);
  if (request == nullptr || !request->active()) {
    *flag = 1;
    write_empty_status(status);
    return {};
  }
  *flag = done_after_a_while(*request);
  if (!*flag) return {};
  return conclude(handle, *request, status, blamed);
}

Error test_all(MPI_Count count, MPI_Request* handles, int* flag, MPI_Status* statuses,
               Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = count_patiently(count, handles, count);
  *flag = census.done == census.active;
  return *flag ? wait_all(count, handles, statuses, blamed) : Error{};
}

Error test_any(MPI_Count count, MPI_Request* handles, int* index, int* flag, MPI_Status* status,
               Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = count_patiently(count, handles, 1);
  *flag = census.active == 0 || census.done > 0;
  return conclude_any(census, handles, index, status, blamed);
}

Error test_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                MPI_Status* statuses, Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  (void)count_patiently(count, handles, 1);
  return conclude_some(count, handles, done_count, indices, statuses, blamed);
}

Error get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  return get_status_all(1, &handle, flag, status);
}

Error get_status_all(MPI_Count count, const MPI_Request* handles, int* flag, MPI_Status* statuses) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = count_patiently(count, handles, count);
  *flag = census.done == census.active;
  if (!*flag) return {};
  Error first;
  for (MPI_Count i = 0; i < count; ++i) {
    MPI_Status* const status = at(statuses, i);
    const Request* request = active_from(handles[i]);
    if (request != nullptr) {
      keep_first(request->report(status), &first);
    } else {
      write_empty_status(status);
    }
  }
  return first;
}

Error get_status_any(MPI_Count count, const MPI_Request* handles, int* index, int* flag,
                     MPI_Status* status) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = count_patiently(count, handles, 1);
  *flag = census.active == 0 || census.done > 0;
  *index = census.done > 0 ? static_cast<int>(census.next) : MPI_UNDEFINED;
  if (census.active == 0) write_empty_status(status);
  if (census.done > 0) return active_from(handles[census.next])->report(status);
  return {};
}

Error get_status_some(MPI_Count count, const MPI_Request* handles, int* done_count, int* indices,
                      MPI_Status* statuses) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = count_patiently(count, handles, 1);
  if (census.active == 0) {
    *done_count = MPI_UNDEFINED;
    return {};
  }
  Error first;
  int found = 0;
  for (MPI_Count i = 0; i < count; ++i) {
    Request* request = active_from(handles[i]);
    if (request == nullptr || !request->done()) continue;
    keep_first(request->report(at(statuses, found)), &first);
    indices[found++] = static_cast<int>(i);
  }
  *done_count = found;
  return first;
}

}  // namespace heddle::request
