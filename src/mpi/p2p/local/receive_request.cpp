#include "mpi/p2p/receive_request.h"

#include "mpi/match/matcher.h"
#include "mpi/p2p/message.h"

namespace heddle::p2p {

void ReceiveRequest::take_over(const match::Envelope& envelope,
                               datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = admit(envelope);
  if (box_room == Box::kUnused) {
    transfer(data, buffer_, bytes);
  } else {
    boxed = true;
    transfer(data, {box, bytes, &datatype::named(MPI_BYTE)}, bytes);
  }
}

void ReceiveRequest::end_cancelled() noexcept {
  outcome_for_writing().cancelled = true;
  complete();
}

std::string message_that_fits(const match::Pattern& wanted) {
  return "a message " + from_rank(wanted);
}

std::string from_rank(const match::Pattern& wanted) {
  const auto name = [](int number, int wildcard, const char* word) {
    return number == wildcard ? std::string(word) : std::to_string(number);
  };
  const std::uint64_t context = wanted.scope >> match::kPlaneBits;
  return "from rank " + name(wanted.source, MPI_ANY_SOURCE, "MPI_ANY_SOURCE") + " with tag " +
         name(wanted.tag, MPI_ANY_TAG, "MPI_ANY_TAG") + " (communicator " +
         std::to_string(context) + ")";
}

Error ReceiveRequest::verdict() const {
  if (outcome().error_class == MPI_SUCCESS) [[likely]]
    return {};
  return Error::make(outcome().error_class,
                     "the message from rank %d with tag %d has %lld bytes, but the receive buffer "
                     "has room for %lld",
                     outcome().source, outcome().tag, static_cast<long long>(incoming_bytes_),
                     static_cast<long long>(buffer_.bytes()));
}

void ReceiveRequest::cancel() noexcept {
  if (match::Matcher::cancel(*this)) end_cancelled();
}

}  // namespace heddle::p2p
