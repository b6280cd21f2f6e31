#include "tests/support/pretended_hosts.h"

namespace heddle::testing {

PretendedHosts::PretendedHosts(const HostsWanted& wanted) {
  pretence_.hosts = wanted.hosts;
  pretence_.host_of = wanted.host_of;
  pretence_.hosts_a_node = wanted.hosts_a_node;
  for (int i = 0; i < wanted.fabrics; ++i) {
    // Without faults both are the same.
    const std::uint64_t fabric = static_cast<std::uint64_t>(i);
    const std::uint64_t seed = wanted.fault_seed == 0 ? 0 : wanted.fault_seed + fabric;
    fabrics_.push_back(
        std::make_unique<transport::FakeFabric>(wanted.hosts, transport::Faults::from_seed(seed)));
    const bool last = i + 1 == wanted.fabrics;
    factories_.push_back(std::make_unique<transport::FakeFactory>(
        *fabrics_.back(), last ? transport::everywhere : transport::on_a_node));
    pretence_.transports.push_back(factories_.back().get());
  }
}

int PretendedHosts::run(int ranks, void (*function)(void*), void* argument,
                        const MPIX_Run_options& options) {
  return heddle_run_on_hosts(ranks, function, argument, &options, &pretence_);
}

void PretendedHosts::cut(int host) noexcept {
  for (const auto& fabric : fabrics_) fabric->cut(host);
}

}  // namespace heddle::testing
