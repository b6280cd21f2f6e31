// launched_way.h — the way between the processes of a job that another launcher has started, and
// the end.
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
// Thread safety: way.h.

#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "net/transport/fabric/fabric.h"
#include "net/transport/shm/shm.h"
#include "net/transport/tcp/tcp.h"
#include "runtime/ways/launcher/launcher.h"
#include "runtime/ways/node_cards.h"
#include "runtime/ways/start_bound.h"
#include "runtime/ways/transports.h"
#include "runtime/ways/watch/watch.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

class LaunchedWay final : public Way {
 public:
  // Null if no other launcher has started this process. The process ends if the job has not come to
  // be after so long.
  static Error find(Silences most, std::unique_ptr<Way>* found);
  static std::unique_ptr<LaunchedWay> by(std::unique_ptr<launcher::Launcher> launcher);

  // There will be as many channels as host 0 wishes. From then on a watch tells of the death of
  // another host (watch/watch.h), unless mpiexec is the parent of all and sees them die; then there
  // is one only for a listener.
  Error connect(const Opening& opening, std::vector<transport::Routes>* routes) override;

  bool has_network() const noexcept override { return true; }
  void tell_left_early() noexcept override;
  void leave() noexcept override;

 private:
  explicit LaunchedWay(launcher::Launcher& launcher)
      : Way(launcher.process(), launcher.nodes()), launcher_(launcher) {}

  struct JobCard;

  bool shares_memory_with(int other) const noexcept {
    return place_[static_cast<std::size_t>(other)] == place_[static_cast<std::size_t>(process())];
  }
  bool uses_network() const noexcept;
  int first_of_place() const noexcept;
  bool shares_memory() const noexcept;
  Error offer(JobCard* own);
  Error take(JobCard* job);
  bool is_on_one_node() const noexcept;
  std::unique_ptr<transport::Factory> make_network(const JobCard& job) const;
  watch::Watch& make_watch(const door::Secret& secret) const;
  Error open_memory();
  Error exchange_addresses(const HostCard& own, std::vector<HostCard>* cards);
  // Fetches the address of each host; it is empty for those of this node.
  Error fetch_addresses(NodeCards::Cards* all);
  Error fetch_each(NodeCards::Cards* all);

  launcher::Launcher& launcher_;
  const Layout* layout_ = nullptr;  // while connect() runs, like the listener
  Listener* listener_ = nullptr;
  std::vector<int> place_;             // by host; those of one place share memory
  int memory_ = -1;                    // a descriptor, until all have opened it
  std::unique_ptr<NodeCards> cards_;   // until they are known, where others share the memory
  std::unique_ptr<StartBound> bound_;  // until all ways are open
  std::unique_ptr<transport::ShmFactory> shared_memory_;
  std::unique_ptr<transport::Factory> network_;
};

}  // namespace heddle::runtime
