#include "mpi/request/census.h"

#include <algorithm>

namespace heddle::request {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Sample {
  Census census;
  std::uint64_t next_order = kNever;        // of the one to complete
  std::uint64_t earliest_pending = kNever;  // of the receives that are not done
};

Sample look_once(MPI_Count count, const MPI_Request* handles) {
  Sample sample;
  const Requests requests;
  for (MPI_Count i = 0; i < count; ++i) {
    Request* request = requests.find_active(handles[i]);
    if (request == nullptr) continue;
    ++sample.census.active;
    const std::uint64_t order = request->posting_order();
    if (!request->done()) {
      if (order != Request::kNoOrder)
        sample.earliest_pending = std::min(sample.earliest_pending, order);
      continue;
    }
    if (sample.census.done++ != 0 && order >= sample.next_order) continue;
    sample.next_order = order;
    sample.census.next = i;
  }
  return sample;
}

}  // namespace

Census take_census(MPI_Count count, const MPI_Request* handles) {
  Sample sample = look_once(count, handles);
  // One that was looked at early may have been done before the one that was chosen. Each round
  // chooses an earlier one, so this ends.
  while (sample.census.done > 0 && sample.earliest_pending < sample.next_order) {
    const std::uint64_t chosen = sample.next_order;
    sample = look_once(count, handles);
    if (sample.next_order == chosen) break;
  }
  return sample.census;
}

Error conclude_any(const Census& census, MPI_Request* handles, int* index, MPI_Status* status,
                   Blamed* blamed) {
  *index = census.done > 0 ? static_cast<int>(census.next) : MPI_UNDEFINED;
  if (census.active == 0) write_empty_status(status);
  if (census.done == 0) return {};
  MPI_Request* handle = &handles[census.next];
  return conclude(handle, *active_from(*handle), status, blamed);
}

Error conclude_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                    MPI_Status* statuses, Blamed* blamed) {
  StatusArray results(statuses);
  int found = 0;
  bool any_active = false;
  const Requests requests;
  for (MPI_Count i = 0; i < count; ++i) {
    Request* request = requests.find_active(handles[i]);
    if (request == nullptr) continue;
    any_active = true;
    if (!request->done()) continue;
    results.conclude(i, found, &handles[i], *request, blamed);
    indices[found++] = static_cast<int>(i);
  }
  *done_count = any_active ? found : MPI_UNDEFINED;
  return results.verdict();
}

}  // namespace heddle::request
