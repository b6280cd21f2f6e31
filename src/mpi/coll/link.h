// link.h — the messages of one phase between hosts: those of its wire, whose waits end also if the
// other host is in another call (call_queries.h).
//
// Thread safety: one strand of a member that leads or gives in the phase. All functions but the
// constructor may switch.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/stillness.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

class Link {
 public:
  Link(const Phase& phase, std::uint32_t call) noexcept;

  const Wire& wire() const noexcept { return wire_; }

  // These send to members on other hosts, and receive from them.
  Error send(datatype::ConstBuffer data, int rank) const;
  Error receive(datatype::Buffer buffer, int rank) const;

  // Waits for a message to or from member `rank`. If that one is in another call, cancels the
  // request.
  void wait(request::Request& request, int rank) const;

 private:
  struct Query {
    std::uint64_t number = 0, question = 0;  // 0: none
  };

  // False, both: it waits in vain.
  bool wait_and_ask(request::Request& request, int rank) const;
  bool take_answer(const Query& query, int rank, ult::AskingWait& noted) const noexcept;

  const Wire wire_;
  HostGroup::Round& round_;
  const std::atomic<Arrivals::Mark>& mismatched_;
  const std::atomic<std::uint64_t>& agreed_;
  const HostGroup::Phase phase_;
  const Arrivals::Mark mark_;
};

}  // namespace heddle::coll
