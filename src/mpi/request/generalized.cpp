#include "mpi/request/generalized.h"

#include "mpi/request/lookup.h"

namespace heddle::request {

namespace {

Error returned(const char* callback, int code) {
  if (code == MPI_SUCCESS) return {};
  return Error::make(code, "the request's %s callback returned %d", callback, code);
}

}  // namespace

Generalized::Generalized(GeneralizedCallbacks callbacks, void* extra_state) noexcept
    : Request(Life::kOnce), callbacks_(callbacks), extra_state_(extra_state) {
  outcome_for_writing().error_class = MPI_ERR_OTHER;  // so that report() and verdict() are asked
}

Error Generalized::report(MPI_Status* status) const {
  MPI_Status ignored;
  MPI_Status* const told = status != MPI_STATUS_IGNORE ? status : &ignored;
  write_status(told, Outcome{});
  return returned("query", callbacks_.query(extra_state_, told));
}

Error Generalized::verdict() const {
  return returned("free", callbacks_.free(extra_state_));
}

Error Generalized::end() {
  Error error = verdict();
  retire(reinterpret_cast<MPI_Request>(handle()));
  return error;
}

Error Generalized::complete_by_program() {
  const object::Ref<Generalized> self(this);  // from here on another strand may end it
  // acq_rel, both: the strand that ends the request sees what the other one did before.
  const unsigned before = steps_.fetch_or(kCompleted, std::memory_order_acq_rel);
  if ((before & kCompleted) != 0) {
    return Error::make(MPI_ERR_REQUEST, "the generalized request has been completed before");
  }
  if ((before & kFreed) != 0) return end();
  complete();
  return {};
}

Error Generalized::free_by_program() {
  const object::Ref<Generalized> self(this);
  const unsigned before = steps_.fetch_or(kFreed, std::memory_order_acq_rel);
  if ((before & kFreed) != 0) return bad_request(reinterpret_cast<MPI_Request>(handle()));
  return (before & kCompleted) != 0 ? end() : Error();
}

Error Generalized::cancel_by_program() {
  // acquire: the callback may look at what the completing strand wrote.
  const bool completed = (steps_.load(std::memory_order_acquire) & kCompleted) != 0;
  return returned("cancel", callbacks_.cancel(extra_state_, completed));
}

Error start_generalized(GeneralizedCallbacks callbacks, void* extra_state, Request** out) {
  auto made = make<Generalized>(callbacks, extra_state);
  if (!made) return no_memory();
  *out = made.leak();
  return {};
}

Error complete_generalized(MPI_Request handle) {
  Request* const request = from_handle(handle);
  if (request == nullptr) return bad_request(handle);
  if (request->generalized() == nullptr) {
    return Error::make(MPI_ERR_REQUEST,
                       "the request was not made by MPI_Grequest_start, so the program cannot "
                       "complete it");
  }
  return request->generalized()->complete_by_program();
}

}  // namespace heddle::request
