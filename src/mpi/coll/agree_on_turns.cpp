#include "mpi/coll/agree_on_turns.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/platform/shared_file.h"
#include "mpi/coll/host_group.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

namespace {

// What a member tells the others: the memory that member 0 has made, and whether it can take part.
struct Offer {
  int process = 0, descriptor = -1;
  bool takes_part = false;
};
using Offers = std::array<Offer, TurnRing::kMostMembers>;

bool can_wake(const comm::Comm& comm) {
  const auto& routes = gateway::Gateway::here().by_host();
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto host = static_cast<std::size_t>(comm.group().member(rank).host);
    if (routes[host] != nullptr && !routes[host]->transport->traits().wakes_hosts) return false;
  }
  return true;
}

// Tells all members what this one offers, and hears of theirs.
bool all_take_part(comm::Comm& comm, const Offer& mine, Offers* all) {
  Batch batch(Ticket(comm, 0).wire());
  const auto each = [&](auto&& with) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank != comm.rank()) with(rank);
    }
  };
  const auto at = [all](int rank) { return &(*all)[static_cast<std::size_t>(rank)]; };
  *at(comm.rank()) = mine;
  each([&](int rank) { batch.receive(datatype::bytes_at(at(rank), sizeof mine), rank); });
  each([&](int rank) { batch.send(datatype::bytes_at(&mine, sizeof mine), rank); });
  return !batch.finish() && std::all_of(all->begin(), all->begin() + comm.size(),
                                        [](const Offer& offer) { return offer.takes_part; });
}

}  // namespace

NodeTurns* agree_on_turns(comm::Comm& comm, HostGroup& group) {
  const Seat& seat = Seat::taken(comm);
  Offer mine;
  mine.takes_part = can_wake(comm) && group.has_worker_each();
  int descriptor = -1;
  if (comm.rank() == 0 && mine.takes_part) {
    descriptor = platform::make_shared_file();
    // At once, so that a lack of memory is seen here and is no SIGBUS later.
    const auto bytes = static_cast<off_t>(NodeTurns::bytes_for(comm.size()));
    mine.takes_part = descriptor >= 0 && posix_fallocate(descriptor, 0, bytes) == 0;
    mine.process = getpid();
    mine.descriptor = descriptor;
  }
  Offers offers;
  const bool wanted = all_take_part(comm, mine, &offers);
  if (wanted && seat.index == 0) {
    const bool is_own = comm.rank() == 0;
    const int memory =
        is_own ? descriptor : platform::open_shared_file(offers[0].process, offers[0].descriptor);
    std::unique_ptr<NodeTurns> made = NodeTurns::map(comm, memory);
    if (!is_own && memory >= 0) close(memory);
    mine.takes_part = made != nullptr;
    group.keep(std::move(made));
  }
  const bool done = wanted && all_take_part(comm, mine, &offers);
  if (descriptor >= 0) close(descriptor);
  return done ? group.node_turns() : nullptr;
}

}  // namespace heddle::coll
