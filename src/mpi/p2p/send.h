// send.h — sends in all four modes, blocking and not (MPI 5.0 §3.2, §3.4, §3.7), and which way a
// message takes:
//
//   mode         receiver on     message                      it
//   -----------  -------------   --------------------------   -------------------------------------
//   standard,    this host       up to the eager limit        leaves: to a posted receive, or
//                                                             copied
//   ready                        longer                       waits in the receiver's lane
//                another host    fits a packet, has credit    leaves: as one packet (credit.h)
//                                else                         waits here, is offered without
//                                                             payload
//   synchronous  this host       any                          waits in the receiver's lane
//                another host    any                          waits here, is offered; the payload
//                                                             goes along if it fits a packet and
//                                                             has credit
//   buffered     any             any                          leaves: what must be kept is charged
//                                                             to the attached buffer (buffered.h)
//
// A message that leaves has a free buffer when the call returns, whatever its receiver does. One
// that waits has a SendRequest. To MPI_PROC_NULL every message leaves.
//
// Nonblocking sends may switch, too: they may copy a long message to a receive that is posted.
//
// Thread safety: any strand of the rank; messages of one strand do not overtake each other.

#pragma once

#include "mpi/p2p/port.h"
#include "mpi/p2p/send_request.h"
#include "mpi/request/finished.h"

namespace heddle::p2p {

enum class Mode : unsigned char { kStandard, kSynchronous, kReady, kBuffered };

// The Port that takes such a message at once; nullptr if the message goes another way.
[[gnu::always_inline]] inline Port* eager_port(MPI_Count bytes, const Target& to) noexcept {
  if (to.rank == MPI_PROC_NULL || !Port::is_eager(bytes)) [[unlikely]]
    return nullptr;
  return Port::of(to);
}

// For the figures of the job: every message goes through here once, before it leaves.
[[gnu::cold, gnu::noinline]] void note_sent_slow(datatype::ConstBuffer data, Target to);
[[gnu::always_inline]] inline void note_sent(datatype::ConstBuffer data, const Target& to) {
  if (observe::is_on()) [[unlikely]]
    note_sent_slow(data, {to.comm, to.rank, to.tag, to.plane});
}

// Returns when the buffer is free. May switch.
Error send_slow(datatype::ConstBuffer data, Target to);
[[gnu::always_inline]] inline Error send(datatype::ConstBuffer data, const Target& to) {
  if (to.rank == MPI_PROC_NULL) [[unlikely]]
    return {};
  if (Port* const port = eager_port(data.bytes(), to)) [[likely]] {
    note_sent(data, to);
    return port->send_eager(to.key(), data);
  }
  return send_slow(data, {to.comm, to.rank, to.tag, to.plane});
}

// Returns when the receive has started as well. May switch.
Error ssend(datatype::ConstBuffer data, const Target& to);

// The program promises that a receive is posted; nothing depends on that here.
inline Error rsend(datatype::ConstBuffer data, const Target& to) {
  return send(data, to);
}

// Returns at once; what must be kept is charged to the attached buffer.
Error bsend(datatype::ConstBuffer data, const Target& to);

// Starts a send whose request is made already, for its message. If it fails, it never completes.
Error begin(SendRequest& request, const Target& to, Mode mode);

// A message that has left when this returns leaves the request for all that is finished.
Error isend_slow(datatype::ConstBuffer data, Target to, request::Request** request, Mode mode);
[[gnu::always_inline]] inline Error isend(datatype::ConstBuffer data, const Target& to,
                                          request::Request** request, Mode mode = Mode::kStandard) {
  Port* const port = eager_port(data.bytes(), to);
  if (port == nullptr || mode == Mode::kSynchronous || mode == Mode::kBuffered) [[unlikely]] {
    // By copies, so that the short way keeps all of them in registers.
    request::Request* made = nullptr;
    Error error = isend_slow(data, {to.comm, to.rank, to.tag, to.plane}, &made, mode);
    *request = made;
    return error;
  }
  note_sent(data, to);
  if (Error e = port->send_eager(to.key(), data)) return e;
  *request = &request::finished();
  return {};
}

// MPI_Send_init and its kin.
Error send_init(datatype::ConstBuffer data, const Target& to, request::Request** request,
                Mode mode = Mode::kStandard);

}  // namespace heddle::p2p
