#include "mpi/p2p/send_request.h"

#include "mpi/p2p/buffered.h"
#include "mpi/p2p/port.h"

namespace heddle::p2p {

// An isend takes no memory but its slot.
static_assert(sizeof(SendRequest) <= object::TransientCache::kStorage);

SendRequest::SendRequest(datatype::ConstBuffer buffer, const Target& target, Mode mode,
                         Life life) noexcept
    : Request(life),
      Message(Home::kSender),
      to_(target.rank == MPI_PROC_NULL ? nullptr : &target.process()),
      target_comm_(target.comm),
      mode_(mode) {
  key = target.key();
  data = buffer;
  bytes = buffer.bytes();
}

Error SendRequest::begin() {
  if (to_ == nullptr) {
    complete();
    return {};
  }
  if (mode_ == Mode::kBuffered) {
    if (Error e = send_buffered(*to_, key, data, *target_comm_)) return e;
    complete();
    return {};
  }
  Port* const port = Port::of(*to_);
  if (port == nullptr) [[unlikely]]
    return begin_elsewhere();
  if (mode_ != Mode::kSynchronous && Port::is_eager(bytes)) {
    if (Error e = port->send_eager(key, data)) return e;
    complete();
    return {};
  }
  lane = nullptr;  // of an earlier activation
  if (port->offer(*this)) complete();
  return {};
}

Error SendRequest::begin_elsewhere() {
  Exchange& exchange = Exchange::here();
  offer_ = {};  // of an earlier activation
  if (mode_ == Mode::kSynchronous || !exchange.take_room(*to_, bytes)) {
    return exchange.offer(*to_, key, data, *this, &offer_);
  }
  if (Error e = exchange.send_eager(*to_, key, data)) return e;
  complete();
  return {};
}

void SendRequest::end_elsewhere(bool withdrawn) noexcept {
  outcome_for_writing().cancelled = withdrawn;
  complete();
}

void SendRequest::take_back() noexcept {
  if (done()) return;
  if (offer_.exchange != nullptr) {
    offer_.withdraw();
  } else if (lane == nullptr || match::Matcher::cancel(*this)) {
    complete();
  }
}

void SendRequest::cancel() noexcept {
  if (done()) return;
  if (offer_.exchange != nullptr) {
    offer_.withdraw();
  } else if (lane != nullptr && match::Matcher::cancel(*this)) {
    outcome_for_writing().cancelled = true;
    complete();
  }
}

}  // namespace heddle::p2p
