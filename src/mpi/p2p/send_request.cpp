#include "mpi/p2p/send_request.h"

#include "mpi/p2p/buffered.h"
#include "mpi/p2p/port.h"

namespace heddle::p2p {

SendRequest::SendRequest(datatype::ConstBuffer buffer, const Target& target, Mode mode,
                         Life life) noexcept
    : Request(life),
      Message(Home::kSender),
      port_(target.rank == MPI_PROC_NULL ? nullptr : &Port::of(target)),
      target_comm_(target.comm),
      mode_(mode) {
  key = target.key();
  data = buffer;
  bytes = buffer.bytes();
}

bool SendRequest::leaves_at_once() const noexcept {
  return port_ == nullptr || mode_ == Mode::kBuffered ||
         (mode_ != Mode::kSynchronous && Port::is_eager(bytes));
}

Error SendRequest::begin() {
  if (port_ == nullptr) {
    complete();
    return {};
  }
  if (mode_ == Mode::kBuffered) {
    if (Error e = send_buffered(*port_, key, data, *target_comm_)) return e;
    complete();
    return {};
  }
  if (mode_ != Mode::kSynchronous && Port::is_eager(bytes)) {
    if (Error e = port_->send_eager(key, data)) return e;
    complete();
    return {};
  }
  lane = nullptr;  // of an earlier activation
  if (port_->offer(*this)) complete();
  return {};
}

void SendRequest::take_back() noexcept {
  if (!done() && (lane == nullptr || match::Matcher::cancel(*this))) complete();
}

void SendRequest::cancel() noexcept {
  if (done() || lane == nullptr || !match::Matcher::cancel(*this)) return;
  outcome_for_writing().cancelled = true;
  complete();
}

}  // namespace heddle::p2p
