// hosts.h — the hosts of a job that this process is: one, or several that a test pretends to have.
//
//   one host         Members ── a port for every rank
//   of several       Members of this host ── ports of its ranks ── Gateway ── routes (ways/way.h)
//   pretended hosts  Members 0 ── ports of its ranks ── Gateway ──┐
//                    Members 1 ── ports of its ranks ── Gateway ──┼─ routes
//                    …                                            ┘
//
// Each pretended host has a table of processes of its own, so a rank sees what it would see on a
// real one: ranks of other hosts have no port and no worker, and messages to them go by packets.
// Nothing else passes between hosts, neither a counter nor a table. Pretended hosts share only what
// a launcher would do for them: the workers, the end of the job when a rank fails, and the exit
// status (job.cpp, abort.h).
//
// Thread safety: constant once made.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/crew/members.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

class Hosts {
 public:
  // The job places its ranks like this. The way stays.
  Hosts(Layout layout, Way& way);
  ~Hosts();  // when no rank runs

  // Opens the ways between hosts, with so many channels each.
  Error connect(int channels, Listener* listener);

  // Sends what still waits.
  void send_rest() noexcept;
  // All ranks of this process have ended: what waits to be sent leaves first, and the process parts
  // from the others. Pretended hosts stay together.
  void leave() noexcept;
  void tell_left_early() noexcept { way_.tell_left_early(); }

  // The ranks that this process carries, in order.
  std::vector<int> ranks_here() const;

  void place(int rank, int worker) noexcept;
  void introduce(Rank& rank);
  // A rank of this process. It may have ended.
  Rank* rank(int number) { return members_of(number).rank(number); }

  // Lists what waits to be matched at a rank of this process (p2p::Port::describe_queues).
  std::string queues_of(int rank, const std::string& before);

  // What the gateways of this process have given and handled (gateway.h). False: packets wait to be
  // sent. While a rank waits.
  bool all_sent(transport::Traffic* sum) const noexcept;

 private:
  Members& members_of(int rank) noexcept {
    return *members_[static_cast<std::size_t>(layout_.host(rank))];
  }

  const Layout layout_;
  Way& way_;
  std::vector<std::unique_ptr<Members>> members_;  // by host; null: in another process
};

}  // namespace heddle::runtime
