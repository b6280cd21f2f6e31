// members.h — the processes of one job as one host sees them: its own ranks with their ports, all
// others without, and the groups for MPI_COMM_WORLD and MPI_COMM_SELF.
//
// Complete before any rank runs, so that a message may be sent to a rank that has not called
// MPI_Init yet. Thread safety: constant once connected.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/group/group.h"
#include "net/transport/routes.h"
#include "net/world/host.h"
#include "runtime/ways/layout.h"

namespace heddle::runtime {

// The groups of which MPI_COMM_WORLD and MPI_COMM_SELF of a rank are made (life/init.h): constant
// once the rank has been introduced.
struct WorldGroups {
  object::Ref<group::Group> world;
  object::Ref<group::Group> self;
};
// The calling rank's. Requires Rank::current().
WorldGroups& world_groups() noexcept;

class Members {
 public:
  // The members as `host` sees the ranks of a job that are placed like this.
  Members(const Layout& layout, int host);

  // Opens and closes the ways to the other hosts.
  void connect(transport::Routes routes);
  void disconnect() noexcept { host_.set_gateway(nullptr); }
  void send_rest() noexcept;
  void set_end_test(bool (*has_ended)(int host)) noexcept { host_.set_end_test(has_ended); }

  // gateway.h
  bool all_sent(transport::Traffic* sum) const noexcept;

  // Notes which worker will run a rank of this host. Before any rank runs.
  void place(int number, int worker) noexcept { host_.job().process(number).worker = worker; }

  // What waits to be matched there, for reports (p2p::Port::describe_queues).
  std::string queues_of(int number, const std::string& before);

  // Tells a rank which process of this table it is. On a strand of the rank, before its program
  // runs.
  void introduce(Rank& rank);
  // A rank of this host, which has been introduced; it may have ended.
  Rank* rank(int number) const noexcept { return ranks_[static_cast<std::size_t>(number)]; }

 private:
  world::Host host_;
  object::Ref<group::Group> world_;
  std::vector<Rank*> ranks_;  // by their numbers
};

}  // namespace heddle::runtime
