// access.h — what a packet asks of the memory of a member of this process: a put, a get, a
// combination, done by the thread that has the packet.
//
// Thread safety: any thread. Does not switch.

#pragma once

#include "mpi/rma/answer.h"
#include "mpi/rma/packets.h"
#include "mpi/rma/part.h"
#include "net/gateway/gateway.h"
#include "net/transport/transport.h"

namespace heddle::rma {

// Does it, run by run, or nothing if it does not fit; and answers, if an answer is wanted. `rest`
// is what is behind the head.
void do_access(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
               transport::Bytes rest);

// What a put or an accumulate leaves: an answer if one is wanted, which tells of those before, too;
// else a note of its error.
void end_given(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
               int status) noexcept;

}  // namespace heddle::rma
