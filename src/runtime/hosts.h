// hosts.h — the hosts of a job that this process is: one, or several that a test pretends to have.
//
//   one host         Members ── a port for every rank
//   of several       Members of this host ── ports of its ranks ── Gateway ── transports
//                    (launched_job.h), or shared memory (node_memory.h)
//   pretended hosts  Members 0 ── ports of its ranks ── Gateway ──┐
//                    Members 1 ── ports of its ranks ── Gateway ──┼─ transports
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

#include "runtime/deadlock_over_hosts.h"
#include "runtime/launched_job.h"
#include "runtime/layout.h"
#include "runtime/members.h"
#include "runtime/node_memory.h"
#include "runtime/process_rank.h"
#include "runtime/transports.h"

namespace heddle::runtime {

class Hosts {
 public:
  Hosts(int ranks, const Pretence& pretence);
  // One of the hosts of that job; of those that mpiexec has started on this node.
  Hosts(Layout layout, LaunchedJob& launched, const ProcessRank& process, bool checks_deadlock);
  Hosts(int ranks, const ProcessRank& process);
  ~Hosts();  // when no rank runs

  // Opens the ways between hosts. The scheduler must run: the number of channels follows from its
  // workers, of which the processes of a node have as many.
  Error connect(Factories factories);

  // All ranks of this process have ended: what waits to be sent leaves first.
  void leave() noexcept;

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

  // The judge of a job of several hosts that another launcher has started, or that talk by the
  // network alone, if the library is to report deadlocks; null otherwise.
  StillHosts* still_hosts() noexcept { return still_hosts_; }

  // The way to the other processes that mpiexec has started on this node; null: they are reached
  // otherwise, or there are none.
  NodeMemory* node_memory() noexcept { return memory_; }

 private:
  static constexpr int kAll = -1;

  Members& members_of(int rank) noexcept {
    return *members_[static_cast<std::size_t>(layout_.host(rank))];
  }

  Hosts(Layout layout, int here);
  Error connect_to_processes();

  const Layout layout_;
  const int here_ = kAll;  // this host; kAll: all hosts are in this process
  LaunchedJob* launched_ = nullptr;
  bool checks_deadlock_ = false;
  ProcessRank process_;
  StillHosts* still_hosts_ = nullptr;  // never destroyed: the watch's thread tells it of words
  NodeMemory* memory_ =
      nullptr;  // of the processes; never destroyed, since threads wait until the process ends
  std::vector<std::unique_ptr<Members>> members_;  // by host; null: in another process
};

}  // namespace heddle::runtime
