// call_queries.h — how a host leader that waits for a member on another host learns that it waits
// in vain, because that member makes another call in this phase.
//
//   the waiting host leader                      the host of that member
//   ------------------------------------------   --------------------------------------------------
//   waits for a while; then kQuery: its phase,
//     its call, and the member      ──────────►  compares that with what the members there do
//                                                (HostGroup::disagrees)
//                                   ◄──────────  kMismatch, if they disagree
//   gives up this wait (link.h)
//                                   ◄──────────  kAgreement, if not
//   asks again later
//
// A query and its answer go by the channel of the messages that the host leader waits for, and so
// come after those that the member has sent before. So a host leader that hears of a mismatch and
// has no message gets none: also where the member has done with the phase long since, which is a
// mismatch, too.
//
// A host that has ended cannot answer. Where the job board tells of it (world::Host::has_ended),
// none is asked.
//
// While members agree, no packet is sent unless a host leader waits for long.
//
// For the proof of deadlock (exec/ult/stillness.h): what is compared is written by strands of the
// members there, before they wait. An agreement names its query, so the waiting host leader knows
// in which question it has asked. A mismatch of an earlier query has come before it, by the same
// channel. None of these packets is counted (uncounted()): they would end the stillness that a
// round asks for, and by its agreement a wait that asks learns that its query has come there and
// back.
//
// Thread safety: ask() any strand; the rest as gateway.h says.

#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/coll/arrivals.h"
#include "mpi/comm/comm.h"
#include "net/gateway/gateway.h"
#include "net/world/shared_part.h"

namespace heddle::coll {

class CallQueries final : public gateway::Receiver {
 public:
  struct Packet;
  static constexpr gateway::Module kModule = gateway::Module::kCallQueries;

  CallQueries(gateway::Gateway& gateway, world::SharedParts& parts);

  // Asks the host of member `rank`, which is another one, if it agrees with what the calling rank
  // does. Returns the query's number, which no other one of this process has; 0: it could not be
  // sent.
  static std::uint64_t ask(comm::Comm& comm, int rank, Arrivals::Mark mark) noexcept;

  // The uncounted packets of this module.
  transport::Traffic uncounted() const noexcept override;

  // A host that is lost ends the job (p2p).
  void on_lost(int) noexcept override {}

 private:
  bool on_query(const gateway::Arrival& arrival) noexcept;
  bool on_mismatch(const gateway::Arrival& arrival) noexcept;
  bool on_agreement(const gateway::Arrival& arrival) noexcept;
  bool send(int channel, int to_host, const Packet& packet) noexcept;

  gateway::Gateway& gateway_;
  world::SharedParts& parts_;
  std::atomic<std::uint64_t> given_{0}, handled_{0};
};

// Called before the gateway is open.
void attach_to(gateway::Gateway& gateway, world::SharedParts& parts);

}  // namespace heddle::coll
