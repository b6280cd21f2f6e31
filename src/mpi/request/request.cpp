#include "mpi/request/request.h"

#include <cassert>

namespace heddle::request {

Error no_memory() {
  return Error::make(MPI_ERR_NO_MEM, "no memory for a request");
}

void Request::prepare() noexcept {
  assert(persistent() && !active_);
  // Every thread that set it is through with it, or it would not be inactive.
  completion_.reset();
  outcome_ = {};
  active_ = true;
}

void Request::part_completed() noexcept {
  // acq_rel: the last one sees what the others wrote.
  if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    parts_completed();
    complete();
  }
}

}  // namespace heddle::request
