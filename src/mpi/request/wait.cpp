#include "mpi/request/wait.h"

#include <array>
#include <string>
#include <utility>

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

// An active request of an array, and its index.
struct Active {
  Request* request;
  MPI_Count index;
};
constexpr std::size_t kAtOnce = 32;  // so many of an array are noted, waited for and concluded

// Looks at each handle once, from *next on, and notes the active requests until there is no room
// for more; *next is where it has stopped. What is finished, inactive or null ends here.
[[gnu::always_inline]] inline std::size_t note_active(MPI_Count* next, MPI_Count count,
                                                      MPI_Request* handles, MPI_Status* statuses,
                                                      Active* active, bool* bad) noexcept {
  const Requests requests;
  std::size_t noted = 0;
  MPI_Count i = *next;
  for (; i < count && noted < kAtOnce; ++i) {
    if (is_finished(handles[i])) {
      handles[i] = MPI_REQUEST_NULL;
    } else if (Request* const request = requests.find(handles[i]); request != nullptr) {
      if (request->active()) [[likely]] {
        active[noted++] = {request, i};
        continue;
      }
    } else if (handles[i] != MPI_REQUEST_NULL) [[unlikely]] {
      *bad = true;
      break;
    }
    if (statuses != MPI_STATUSES_IGNORE) write_empty_status(statuses + i);
  }
  *next = i;
  return noted;
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

// Requires that no other call completes one of them meanwhile (§11.6), and that no handle is in the
// array twice.
Error wait_all(MPI_Count count, MPI_Request* handles, MPI_Status* statuses, Blamed* blamed) {
  StatusArray results(statuses);
  std::array<Active, kAtOnce> active;  // not initialized: note_active() fills it
  MPI_Count next = 0;
  bool checked = false, bad = false;
  for (;;) {
    const std::size_t noted = note_active(&next, count, handles, statuses, active.data(), &bad);
    if (bad) [[unlikely]]
      return bad_request(next, handles[next]);
    // A bad handle is told before the call waits for anything.
    if (next < count && !std::exchange(checked, true)) [[unlikely]] {
      if (Error e = check_all(count, handles)) return e;
    }
    // From the last on, since operations mostly complete in the order in which they began: to look
    // at each would take its line away from the strand that is about to complete it.
    for (std::size_t k = noted; k-- > 0;) active[k].request->wait();
    for (std::size_t k = 0; k < noted; ++k) {
      const auto [request, i] = active[k];
      results.conclude(i, i, &handles[i], *request, blamed);
    }
    if (next == count) return results.verdict();
  }
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
