#include "mpi/coll/started.h"

#include "mpi/lifetime/in_call.h"

namespace heddle::coll {

Error Started::launch() {
  error_ = {};
  if (!is_alone(comm_) && add_task(channel(), *this)) return {};
  run();
  complete();
  return {};
}

void Started::run() noexcept {
  const char* const outer = std::exchange(Rank::current_call, call_);
  {
    // The request keeps what the operation uses; its messages need not.
    const lifetime::InCall in_call(&channel(), nullptr);
    // Tasks come in the order of the calls, and a blocking call waits for them.
    error_ = perform(Ticket(channel(), turns()));
  }
  if (error_) outcome_for_writing().error_class = error_.error_class();
  Rank::current_call = outer;
}

Error Started::verdict() const {
  if (!error_) return {};
  const std::string_view text = error_.text();
  return Error::make(error_.error_class(), "%.*s", static_cast<int>(text.size()), text.data());
}

Error Started::refuse_to_end() const {
  return Error::make(MPI_ERR_REQUEST, "%s on %s has been started; only a wait or a test may end it",
                     call_, comm::describe(comm_).c_str());
}

}  // namespace heddle::coll
