#include "mpi/p2p/send.h"

#include "mpi/lifetime/in_call.h"
#include "mpi/p2p/buffered.h"
#include "mpi/p2p/remote/exchange.h"

namespace heddle::p2p {

namespace {

// Sends the message if it leaves at once, which *left says. The table in send.h.
Error leave(datatype::ConstBuffer data, const Target& to, Mode mode, bool* left) {
  *left = true;
  if (to.rank == MPI_PROC_NULL) return {};
  if (mode == Mode::kBuffered) return bsend(data, to);
  note_sent(data, to);
  if (mode != Mode::kSynchronous) {
    const MPI_Count bytes = data.bytes();
    Port* const port = Port::of(to);
    if (port != nullptr && Port::is_eager(bytes)) return port->send_eager(to.key(), data);
    if (port == nullptr && Exchange::here().take_room(to.process(), bytes)) {
      return Exchange::here().send_eager(to.process(), to.key(), data);
    }
  }
  *left = false;
  return {};
}

// Starts a message that waits for its receiver.
Error wait_there(SendRequest& request, const Target& to, Mode mode) {
  if (Port* const port = Port::of(to)) {
    if (port->offer(request)) request.complete();
    return {};
  }
  return Exchange::here().offer(to.process(), request, mode == Mode::kSynchronous);
}

// This is a function of its own, so that the short way of send() keeps no request on its stack.
[[gnu::noinline]] Error send_waiting(datatype::ConstBuffer data, const Target& to, Mode mode) {
  SendRequest request(data, to);
  const lifetime::InCall in_call(to.comm, data.type);
  if (Error e = wait_there(request, to, mode)) return e;
  request.wait();
  return {};
}

Error send_blocking(datatype::ConstBuffer data, const Target& to, Mode mode) {
  bool left = false;
  if (Error e = leave(data, to, mode, &left)) return e;
  return left ? Error{} : send_waiting(data, to, mode);
}

class PersistentSend final : public SendRequest {
 public:
  PersistentSend(datatype::ConstBuffer buffer, const Target& to, Mode mode) noexcept
      : SendRequest(buffer, to, Life::kPersistent), to_(to), mode_(mode) {}

 private:
  Error launch() override {
    lane = nullptr;  // of an earlier activation, as the offer
    offer = {};
    return begin(*this, to_, mode_);
  }

  const Target to_;
  const Mode mode_;
};

}  // namespace

void note_sent_slow(datatype::ConstBuffer data, Target to) {
  if (to.plane != Plane::kUser) return;
  const match::Key key = to.key();
  observe::message_sent({to.process().number, key.source, key.context, key.tag, data.bytes()});
}

Error send_slow(datatype::ConstBuffer data, Target to) {
  return send_blocking(data, to, Mode::kStandard);
}

Error ssend(datatype::ConstBuffer data, const Target& to) {
  return send_blocking(data, to, Mode::kSynchronous);
}

Error bsend(datatype::ConstBuffer data, const Target& to) {
  if (to.rank == MPI_PROC_NULL) return {};
  note_sent(data, to);
  return send_buffered(to.process(), to.key(), data, *to.comm);
}

Error begin(SendRequest& request, const Target& to, Mode mode) {
  bool left = false;
  if (Error e = leave(request.data, to, mode, &left)) return e;
  if (!left) return wait_there(request, to, mode);
  request.complete();
  return {};
}

Error isend_slow(datatype::ConstBuffer data, Target to, request::Request** request, Mode mode) {
  bool left = false;
  if (Error e = leave(data, to, mode, &left)) return e;
  if (left) {
    *request = &request::finished();
    return {};
  }
  auto made = request::make<SendRequest>(data, to);
  if (!made) return request::no_memory();
  made->hold(to.comm);
  if (Error e = wait_there(*made, to, mode)) return e;
  *request = made.leak();
  return {};
}

Error send_init(datatype::ConstBuffer data, const Target& to, request::Request** request,
                Mode mode) {
  auto made = request::make<PersistentSend>(data, to, mode);
  if (!made) return request::no_memory();
  made->hold(to.comm);
  *request = made.leak();
  return {};
}

}  // namespace heddle::p2p
