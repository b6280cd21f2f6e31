// put_landing.h — a long put while its payload is under way: the transport writes it to its place
// in the window (transport.h, T10), and it is counted and answered when all is there.
//
// Until its end no other packet of its sender comes by its channel, so accesses keep their order.
//
// Thread safety: the holder of the channel.

#pragma once

#include "mpi/rma/answer.h"
#include "mpi/rma/packets.h"
#include "mpi/rma/part.h"
#include "net/gateway/gateway.h"
#include "net/gateway/id_table.h"
#include "net/transport/transport.h"

namespace heddle::rma {

class PutLanding final : public transport::Reader {
 public:
  using Table = gateway::IdTable<PutLanding>;

  // The part is held, and is let go by came(). `all` has those that are under way: they end with it
  // where nothing comes any more.
  PutLanding(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
             Table& all)
      : gateway_(gateway),
        asker_(asker),
        head_(head),
        part_(part),
        all_(all),
        name_(all.add(*this)) {}

  void came(std::size_t bytes) noexcept override;

 private:
  gateway::Gateway& gateway_;
  const Asker asker_;
  const WindowPacket head_;
  Part& part_;
  Table& all_;
  const gateway::Id name_;
};

}  // namespace heddle::rma
