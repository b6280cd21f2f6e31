#include "mpi/p2p/send.h"

#include "mpi/object/in_call.h"
#include "mpi/p2p/buffered.h"
#include "mpi/p2p/exchange.h"

namespace heddle::p2p {

namespace {

// Its own function, so that the short way of send() keeps no request on its stack.
[[gnu::noinline]] Error send_large(datatype::ConstBuffer data, const Target& to, Mode mode) {
  SendRequest request(data, to, mode);
  const object::InCall in_call(to.comm, data.type);
  if (Error e = request.begin()) return e;
  request.wait();
  return {};
}

[[gnu::noinline]] Error send_elsewhere(datatype::ConstBuffer data, const Target& to) {
  Exchange& exchange = Exchange::here();
  if (!exchange.take_room(to.process(), data.bytes())) {
    return send_large(data, to, Mode::kStandard);
  }
  return exchange.send_eager(to.process(), to.key(), data);
}

// True if the message has been copied when the call returns, whatever its receiver does.
bool leaves_at_once(MPI_Count bytes, const Target& to, Mode mode) {
  if (to.rank == MPI_PROC_NULL || mode == Mode::kBuffered) return true;
  return mode != Mode::kSynchronous && returns_at_once(bytes, to);
}

}  // namespace

Error send_slow(datatype::ConstBuffer data, const Target& to) {
  if (to.rank == MPI_PROC_NULL) return {};
  if (Port::of(to) == nullptr) return send_elsewhere(data, to);
  return send_large(data, to, Mode::kStandard);
}

bool returns_at_once(MPI_Count bytes, const Target& to) {
  return Port::of(to) != nullptr && Port::is_eager(bytes);
}

Error ssend(datatype::ConstBuffer data, const Target& to) {
  return send_large(data, to, Mode::kSynchronous);
}

Error bsend(datatype::ConstBuffer data, const Target& to) {
  if (to.rank == MPI_PROC_NULL) return {};
  return send_buffered(to.process(), to.key(), data, *to.comm);
}

Error isend_slow(datatype::ConstBuffer data, const Target& to, request::Request** request,
                 Mode mode) {
  if (leaves_at_once(data.bytes(), to, mode)) {
    if (Error e = mode == Mode::kBuffered ? bsend(data, to) : send(data, to)) return e;
    *request = &request::finished();
    return {};
  }
  auto made = request::make<SendRequest>(data, to, mode);
  if (!made) return request::no_memory();
  made->hold(to.comm);
  if (Error e = made->begin()) return e;
  *request = made.leak();
  return {};
}

Error send_init(datatype::ConstBuffer data, const Target& to, request::Request** request,
                Mode mode) {
  auto made = request::make<SendRequest>(data, to, mode, request::Request::Life::kPersistent);
  if (!made) return request::no_memory();
  made->hold(to.comm);
  *request = made.leak();
  return {};
}

}  // namespace heddle::p2p
