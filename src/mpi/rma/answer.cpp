#include "mpi/rma/answer.h"

#include "mpi/rma/packets.h"

namespace heddle::rma {

using transport::Bytes;

void send_answer(gateway::Gateway& gateway, const Asker& asker, int status, Bytes data) noexcept {
  const AnswerPacket head{.status = status, .waiting = asker.waiting};
  const Bytes bytes{reinterpret_cast<const std::byte*>(&head), sizeof head};
  // Without memory for it the origin waits for ever, as for any message that could not be sent.
  static_cast<void>(gateway.by_host()[static_cast<std::size_t>(asker.host)]->channels.send(
      asker.channel, asker.host, bytes, data));
}

}  // namespace heddle::rma
