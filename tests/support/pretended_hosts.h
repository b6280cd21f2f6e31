// pretended_hosts.h — runs ranks in this process as if they were on several hosts, with fake fabrics
// between these.
//
//   fabrics   hosts of one node talk by   others by
//   -------   -------------------------   ---------------------------
//   1         fabric 0                    fabric 0
//   2         fabric 0                    fabric 1, with other faults
//
// Thread safety: one thread; cut() any.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/mpix.h"
#include "net/transport/fake/fabric.h"
#include "runtime/run_on_hosts.h"

namespace heddle::testing {

struct HostsWanted {
  int hosts = 1;
  runtime::HostOf host_of = nullptr;  // null: blocks
  int hosts_a_node = 1;
  int fabrics = 1;
  std::uint64_t fault_seed = 0;  // what happens to packets; 0: nothing bad
};

class PretendedHosts {
 public:
  explicit PretendedHosts(const HostsWanted& wanted);

  // As MPIX_Run, once.
  int run(int ranks, void (*function)(void*), void* argument, const MPIX_Run_options& options);

  // The host is lost from now on.
  void cut(int host) noexcept;

 private:
  std::vector<std::unique_ptr<transport::FakeFabric>> fabrics_;
  std::vector<std::unique_ptr<transport::FakeFactory>> factories_;
  runtime::Pretence pretence_;
};

}  // namespace heddle::testing
