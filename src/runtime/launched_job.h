// launched_job.h — this process in a job that another launcher has started: the ways to the other
// processes, and the end.
//
//   each process is a host          node 0            node 1
//                                   host 0  host 1    host 2 …
//
//   host                                        the launcher carries
//   ------------------------------------------  ---------------------------------------------------
//   the first of a node makes shared memory     "memory": its process, descriptors, inodes
//   host 0 draws the job's secret, opens the watch "job": the secret; "watch": its port
//   fence
//   the others of the node open the memory
//   all connect to the watch
//   opens its transports                        "address": that of the network, if there are
//                                               several nodes
//   fence
//   the first of a node fetches the addresses of other nodes, for all of its node (node_cards.h)
//   connects to all
//
// Where HEDDLE_NETWORK is everywhere, each host counts as a place of its own, and no memory is
// shared.
//
// The memory has no name. The others open it as /proc/PID/fd/N, which the kernel allows to the same
// user only. The second fence lets the first of a node close its descriptors.
//
// Thread safety: one thread at a time; end_launched_job() any.

#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "net/transport/fabric/fabric.h"
#include "net/transport/shm/shm.h"
#include "net/transport/tcp/tcp.h"
#include "runtime/deadlock_over_hosts.h"
#include "runtime/launcher/launcher.h"
#include "runtime/layout.h"
#include "runtime/node_cards.h"
#include "runtime/start_bound.h"
#include "runtime/transports.h"
#include "runtime/watch/watch.h"

namespace heddle::runtime {

class LaunchedJob {
 public:
  // Null if no other launcher has started this process. `end` is told if the job has not come to be
  // after so long.
  static Error find(Silences most, watch::Ender end, std::unique_ptr<LaunchedJob>* found);
  static std::unique_ptr<LaunchedJob> by(std::unique_ptr<launcher::Launcher> launcher);

  int host() const noexcept { return launcher_.process(); }
  int hosts() const noexcept { return launcher_.processes(); }
  const std::vector<int>& nodes() const noexcept { return launcher_.nodes(); }  // by host

  // Which of the hosts of this node it is, and how many there are.
  int number_on_node() const noexcept;
  int hosts_on_node() const noexcept;

  // Once, if there are several hosts. All must do it. There will be as many channels as host 0
  // wishes. From then on the watch tells `end` of the death of another host (watch/watch.h); null:
  // the launcher sees to that. What the hosts say of standing still is told to `still`, which
  // stays; null: none listens.
  //
  // Threads that have nothing to run then sleep at this host's bell (ult/host_bell.h), if it shares
  // memory: this object must stay as long as a thread may wait.
  Error connect(const Layout& layout, transport::Opening opening, watch::Ender end,
                StillHosts* still, transport::Routes* routes);

  // A rank of this host has ended with status 0 without MPI_Finalize: the other hosts hear of it.
  void tell_left_early() noexcept;

  // All ways are closed. Waits until what has been sent has arrived; then the others and the
  // launcher need not wait for this host any more.
  void leave() noexcept;

 private:
  explicit LaunchedJob(launcher::Launcher& launcher) noexcept : launcher_(launcher) {}

  struct JobCard;

  bool shares_memory_with(int other) const noexcept {
    return place_[static_cast<std::size_t>(other)] == place_[static_cast<std::size_t>(host())];
  }
  bool uses_network() const noexcept;
  int first_of_place() const noexcept;
  bool shares_memory() const noexcept;
  Error offer(JobCard* own, watch::Ender end, StillHosts* still);
  Error take(JobCard* job, watch::Ender end, StillHosts* still);
  bool is_on_one_node() const noexcept;
  std::unique_ptr<transport::Factory> make_network(const JobCard& job) const;
  watch::Watch& make_watch(const door::Secret& secret, watch::Ender end, StillHosts* still) const;
  Error open_memory();
  Error exchange_addresses(const HostCard& own, std::vector<HostCard>* cards);
  // Fetches the address of each host; it is empty for those of this node.
  Error fetch_addresses(NodeCards::Cards* all);
  Error fetch_each(NodeCards::Cards* all);

  launcher::Launcher& launcher_;
  std::vector<int> place_;             // by host; those of one place share memory
  int memory_ = -1;                    // a descriptor, until all have opened it
  std::unique_ptr<NodeCards> cards_;   // until they are known, where others share the memory
  std::unique_ptr<StartBound> bound_;  // until all ways are open
  std::unique_ptr<transport::ShmFactory> shared_memory_;
  std::unique_ptr<transport::Factory> network_;
};

// Slurm has started this process. When one ends with a status other than 0, srun -K ends the others
// a tenth of a second later, by a signal, and srun's status is the greatest of all: so processes
// that have been told to end do so at once, with the same status.
bool is_slurms_job() noexcept;

// Tells the other processes of the job and the launcher, if there is one, that the job ends; why
// was said. The caller then ends its own process.
void end_launched_job(int status) noexcept;

}  // namespace heddle::runtime
