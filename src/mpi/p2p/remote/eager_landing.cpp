#include "mpi/p2p/remote/eager_landing.h"

#include <utility>

#include "mpi/p2p/port.h"
#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

EagerLanding::~EagerLanding() {
  if (linked()) IntrusiveList<EagerLanding>::erase(*this);
  if (copy_ != nullptr) RemoteMessage::destroy(copy_);
}

std::span<std::byte> EagerLanding::find_place() noexcept {
  receive_ = port_.take_posted(envelope_);
  if (receive_ != nullptr) {
    const std::span<std::byte> place = receive_->place_for(envelope_.bytes);
    if (!place.empty()) return place;
  }
  copy_ = RemoteMessage::make_empty(origin_, envelope_);
  return copy_ != nullptr ? copy_->payload() : std::span<std::byte>();
}

void EagerLanding::came(std::size_t) noexcept {
  const std::int64_t taken = receive_ != nullptr ? origin_.credit : 0;
  origin_.carrier.landed(origin_.host, origin_.channel, origin_.to, taken);
  RemoteMessage* const copy = std::exchange(copy_, nullptr);
  if (receive_ == nullptr) {
    port_.arrive(*copy);
  } else if (copy == nullptr) {
    receive_->admit(envelope_);
    receive_->complete();
  } else {
    receive_->take_arrived(envelope_, copy->data);
    RemoteMessage::destroy(copy);
    receive_->complete();
  }
  delete this;
}

}  // namespace heddle::p2p
