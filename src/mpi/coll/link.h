// link.h — the messages of one turn between hosts: those of its wire, whose waits end also if the other host is in another
// call (doubts.h).
//
// Thread safety: one strand of a member that speaks or gives in the turn. All functions but the constructor may switch.

#pragma once

#include <span>

#include "mpi/coll/ticket.h"

namespace heddle::coll {

class Link {
 public:
  Link(const Turn& turn, std::uint32_t call) noexcept;

  const Wire& wire() const noexcept { return wire_; }

  // To and from members on other hosts.
  Error send(datatype::ConstBuffer data, int rank) const;
  Error receive(datatype::Buffer buffer, int rank) const;

  // Waits for a request that depends on these members. If one of them is in another call, cancels the request.
  void wait(request::Request& request, std::span<const int> ranks) const;

 private:
  bool is_denied_by(std::span<const int> ranks) const noexcept;

  const Wire wire_;
  const Meeting::Round& round_;
  const Meeting::Turn turn_;
  const Arrivals::Mark mark_;
};

}  // namespace heddle::coll
