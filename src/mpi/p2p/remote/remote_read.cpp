#include "mpi/p2p/remote/remote_read.h"

#include <algorithm>

#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

channel::Outbound::Step RemoteRead::send_next(transport::Endpoint& endpoint,
                                              std::span<std::byte>) noexcept {
  const std::span<std::byte> piece = into_.subspan(asked_, std::min(piece_, into_.size() - asked_));
  const transport::Endpoint::Read read{.from_host = from_.host,
                                       .memory = from_.memory,
                                       .offset = asked_,
                                       .into = piece,
                                       .reader = this};
  endpoint_ = &endpoint;
  if (!endpoint.read(read)) return Step::kRefused;
  asked_ += piece.size();
  return asked_ == into_.size() ? Step::kLast : Step::kMore;
}

void RemoteRead::came(std::size_t bytes) noexcept {
  endpoint_->count_handled();
  came_ += bytes;
  if (came_ < into_.size()) return;
  ReceiveRequest& request = request_;
  from_.carrier.end_read(from_.host, from_.channel, from_.send_id);
  delete this;
  request.complete();
}

}  // namespace heddle::p2p
