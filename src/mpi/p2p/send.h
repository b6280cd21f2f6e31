// send.h — sends in all four modes, blocking and not (MPI 5.0 §3.2, §3.4, §3.7).
//
// Those that return at once switch, too, where they copy a long message to a receive that is posted.
//
// Thread safety: any strand of the rank; messages of one strand do not overtake each other.

#pragma once

#include "mpi/p2p/port.h"
#include "mpi/p2p/send_request.h"
#include "mpi/request/finished.h"

namespace heddle::p2p {

// The Port that takes such a message at once; nullptr if the message goes another way.
[[gnu::always_inline]] inline Port* eager_port(MPI_Count bytes, const Target& to) noexcept {
  if (to.rank == MPI_PROC_NULL || !Port::is_eager(bytes)) [[unlikely]]
    return nullptr;
  return Port::of(to);
}

// Returns when the buffer is free. May switch.
Error send_slow(datatype::ConstBuffer data, const Target& to);
[[gnu::always_inline]] inline Error send(datatype::ConstBuffer data, const Target& to) {
  if (Port* const port = eager_port(data.bytes(), to)) [[likely]]
    return port->send_eager(to.key(), data);
  return send_slow(data, to);
}

// True if it does so before the message is received. False for another host, where that depends on
// credit (credit.h). Requires that `to` is not MPI_PROC_NULL.
bool returns_at_once(MPI_Count bytes, const Target& to);

// Returns when the receive has started as well. May switch.
Error ssend(datatype::ConstBuffer data, const Target& to);

// The program promises that a receive is posted; nothing depends on that here.
inline Error rsend(datatype::ConstBuffer data, const Target& to) {
  return send(data, to);
}

// Returns at once; what must be kept is charged to the attached buffer.
Error bsend(datatype::ConstBuffer data, const Target& to);

// A message that has been copied when this returns leaves the rank's request for all that is finished.
Error isend_slow(datatype::ConstBuffer data, const Target& to, request::Request** request,
                 Mode mode);
[[gnu::always_inline]] inline Error isend(datatype::ConstBuffer data, const Target& to,
                                          request::Request** request, Mode mode = Mode::kStandard) {
  Port* const port = eager_port(data.bytes(), to);
  if (port == nullptr || mode == Mode::kSynchronous || mode == Mode::kBuffered) [[unlikely]]
    return isend_slow(data, to, request, mode);
  if (Error e = port->send_eager(to.key(), data)) return e;
  *request = &request::finished();
  return {};
}

// MPI_Send_init and its kin.
Error send_init(datatype::ConstBuffer data, const Target& to, request::Request** request,
                Mode mode = Mode::kStandard);

}  // namespace heddle::p2p
