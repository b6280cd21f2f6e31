// pretended_hosts.h — runs ranks in this process as if they were on several hosts, with fake fabrics
// between these. Variables of the environment say which hosts:
//
//   HEDDLE_TEST_HOSTS         how many
//   HEDDLE_TEST_LAYOUT        blocks (the default), round_robin, or scattered: hosts have different
//                             numbers of ranks, some perhaps none
//   HEDDLE_TEST_HOSTS_A_NODE  how many share a node; 1 by default
//   HEDDLE_TEST_FABRICS       1, or 2: hosts of one node have a fabric of their own
//   HEDDLE_TEST_TRANSPORT     fake (the default); shm: hosts of one node talk through shared memory, and
//                             all are on one node unless HEDDLE_TEST_HOSTS_A_NODE says otherwise;
//                             libfabric, tcp: all hosts talk by that over loopback
//   HEDDLE_TEST_FAULTS        how packets travel between hosts: 0 well, else with faults of that seed
//
//   fabrics   hosts of one node talk by   others by
//   -------   -------------------------   ---------------------------
//   1         fabric 0                    fabric 0
//   2         fabric 0                    fabric 1, with other faults
//   any       shared memory (shm)         the last fabric
//   any       libfabric or tcp            the same
//
// Thread safety: one thread; cut() and packets_from() any.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/mpix.h"
#include "net/transport/fabric/fabric.h"
#include "net/transport/fake/fabric.h"
#include "net/transport/shm/shm.h"
#include "net/transport/tcp/tcp.h"
#include "runtime/carrier/run_on_hosts.h"

namespace heddle::testing {

struct HostsWanted {
  int hosts = 1;
  runtime::HostOf host_of = runtime::host_in_blocks;
  int hosts_a_node = 1;
  int fabrics = 1;
  std::uint64_t fault_seed = 0;  // what happens to packets; 0: nothing bad
  bool shared_memory = false;
  bool libfabric = false, tcp = false;
};

// The value of a variable of the environment, or `otherwise` if it is not set.
unsigned long number_from(const char* variable, unsigned long otherwise);

// What the environment asks for; at most a host a rank.
HostsWanted hosts_from_environment(int ranks);

class PretendedHosts {
 public:
  explicit PretendedHosts(const HostsWanted& wanted);
  ~PretendedHosts();
  PretendedHosts(PretendedHosts&&) = delete;

  // As MPIX_Run, once.
  int run(int ranks, void (*function)(void*), void* argument, const MPIX_Run_options& options);

  // As heddle_host_main, once.
  int run(const heddle_job& job);

  // That fake fabrics have accepted from this host.
  std::uint64_t packets_from(int host) noexcept;

  // The host is lost from now on.
  void cut(int host) noexcept;

 private:
  std::vector<std::unique_ptr<transport::FakeFabric>> fabrics_;
  std::vector<std::unique_ptr<transport::FakeFactory>> factories_;
  int memory_ = -1;  // of shared_memory_
  std::unique_ptr<transport::ShmFactory> shared_memory_;
  std::unique_ptr<transport::FabricFactory> libfabric_;
  std::unique_ptr<transport::TcpFactory> tcp_;
  runtime::Pretence pretence_;
};

}  // namespace heddle::testing
