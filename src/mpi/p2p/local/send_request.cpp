#include "mpi/p2p/send_request.h"

#include "mpi/match/matcher.h"
#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

// An isend takes no memory but its slot.
static_assert(sizeof(SendRequest) <= lifetime::TransientCache::kStorage);

SendRequest::SendRequest(datatype::ConstBuffer buffer, const Target& target, Life life) noexcept
    : Request(life), Message(Home::kSender), receiver_(target.rank) {
  key = target.key();
  data = buffer;
  bytes = buffer.bytes();
}

std::string SendRequest::awaited() const {
  return "rank " + std::to_string(receiver_) + " to receive its message " +
         with_tag(key.context, key.tag);
}

void SendRequest::end_elsewhere(bool withdrawn) noexcept {
  outcome_for_writing().cancelled = withdrawn;
  complete();
}

void SendRequest::take_back() noexcept {
  if (done()) return;
  if (offer.carrier != nullptr) {
    offer.withdraw();
  } else if (lane == nullptr || match::Matcher::cancel(*this)) {
    complete();
  }
}

void SendRequest::cancel() noexcept {
  if (done()) return;
  if (offer.carrier != nullptr) {
    offer.withdraw();
  } else if (lane != nullptr && match::Matcher::cancel(*this)) {
    outcome_for_writing().cancelled = true;
    complete();
  }
}

}  // namespace heddle::p2p
