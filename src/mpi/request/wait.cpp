#include "mpi/request/wait.h"

#include <string>

#include "base/standing.h"
#include "exec/ult/alert.h"
#include "exec/ult/stillness.h"
#include "exec/ult/strand.h"
#include "mpi/request/census.h"

namespace heddle::request {

namespace {

enum class Found { kDoneOrNone, kAlert };

// Until one of the active requests is done, or an alert (exec/ult/alert.h); at once if none is
// active. Then the strand is enrolled nowhere.
Found enroll_and_park(MPI_Count count, const MPI_Request* handles) {
  ult::Strand& self = ult::Strand::current();
  const Requests requests;
  for (MPI_Count i = 0; i < count; ++i) {
    if (Request* request = requests.find_active(handles[i])) request->stand_alone();
  }
  MPI_Count enrolled_below = 0;  // all active requests before this index
  bool any_active = false, any_done = false;
  for (; enrolled_below < count; ++enrolled_below) {
    Request* request = requests.find_active(handles[enrolled_below]);
    if (request == nullptr) continue;
    any_active = true;
    any_done = !request->awaits().enroll(self);
    if (any_done) break;
  }
  if (!any_active) return Found::kDoneOrNone;

  // Each request that was set while we were enrolled sends one wake-up; absorb them all.
  int wakes = 0;
  if (!any_done && ult::Strand::park_unless_alerted()) {
    any_done = true;
    --wakes;
  }
  for (MPI_Count i = 0; i < enrolled_below; ++i) {
    Request* request = requests.find_active(handles[i]);
    if (request == nullptr || request->awaits().withdraw(self)) continue;
    any_done = true;
    ++wakes;
  }
  for (; wakes > 0; --wakes) ult::Strand::park();
  return any_done ? Found::kDoneOrNone : Found::kAlert;
}

// Returns when one of the active requests is done, or at once if none is active.
void wait_for_one_of(MPI_Count count, const MPI_Request* handles) {
  const ult::NotedWait noted(
      {Standing::mine.call,
       [](const void* subject) {
         return "one of " + std::to_string(*static_cast<const MPI_Count*>(subject)) + " requests";
       },
       &count});
  while (enroll_and_park(count, handles) == Found::kAlert) ult::answer_alert();
}

}  // namespace

// Not inlined, so that a wait for what is done stays short.
[[gnu::noinline]] void Request::wait_slow() noexcept {
  const ult::NotedWait noted(
      {Standing::mine.call,
       [](const void* subject) { return static_cast<const Request*>(subject)->awaited(); }, this});
  while (!spin() && !completion_.park_unless_alerted()) {
    ult::answer_alert();
    if (completion_.done()) return;
  }
}

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
  RequestArray requests(handles);
  if (Error e = requests.check(count)) return e;
  // From the last on, since operations mostly complete in the order in which they began: to look at
  // each would take its line away from the strand that is about to complete it.
  for (MPI_Count i = count; i-- > 0;) {
    if (Request* request = requests.active(i)) request->wait();
  }
  return conclude_all(requests, count, handles, statuses, blamed);
}

Error wait_any(MPI_Count count, MPI_Request* handles, int* index, MPI_Status* status,
               Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  Census census = take_census(count, handles);
  if (census.active > 0 && census.done == 0) {
    wait_for_one_of(count, handles);
    census = take_census(count, handles);
  }
  return conclude_any(census, handles, index, status, blamed);
}

Error wait_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                MPI_Status* statuses, Blamed* blamed) {
  if (Error e = check_all(count, handles)) return e;
  const Census census = take_census(count, handles);
  if (census.active > 0 && census.done == 0) wait_for_one_of(count, handles);
  return conclude_some(count, handles, done_count, indices, statuses, blamed);
}

}  // namespace heddle::request
