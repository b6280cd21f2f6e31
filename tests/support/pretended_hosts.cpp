#include "tests/support/pretended_hosts.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/platform/shared_file.h"

namespace heddle::testing {

namespace {

int round_robin(int rank, int, int hosts) {
  return rank % hosts;
}
int scattered(int rank, int, int hosts) {
  return static_cast<int>((static_cast<unsigned>(rank) + 3) * 2654435761U >> 16) % hosts;
}

// What HEDDLE_TEST_LAYOUT names.
runtime::HostOf layout_from_environment() {
  const char* name = std::getenv("HEDDLE_TEST_LAYOUT");
  const std::string wanted = name != nullptr ? name : "blocks";
  if (wanted == "blocks") return runtime::host_in_blocks;
  if (wanted == "round_robin") return round_robin;
  if (wanted == "scattered") return scattered;
  std::fprintf(stderr, "HEDDLE_TEST_LAYOUT=%s is not a layout\n", wanted.c_str());
  std::abort();
}

// What HEDDLE_TEST_TRANSPORT names.
std::string transport_from_environment() {
  const char* name = std::getenv("HEDDLE_TEST_TRANSPORT");
  const std::string wanted = name != nullptr ? name : "fake";
  for (const char* const known : {"fake", "shm", "libfabric", "tcp"}) {
    if (wanted == known) return wanted;
  }
  std::fprintf(stderr, "HEDDLE_TEST_TRANSPORT=%s is not a transport\n", wanted.c_str());
  std::abort();
}

}  // namespace

unsigned long number_from(const char* variable, unsigned long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

HostsWanted hosts_from_environment(int ranks) {
  const unsigned long hosts = number_from("HEDDLE_TEST_HOSTS", 1);
  const std::string transport = transport_from_environment();
  const bool shared_memory = transport == "shm";
  return {
      .hosts = static_cast<int>(std::clamp<unsigned long>(hosts, 1, static_cast<unsigned>(ranks))),
      .host_of = layout_from_environment(),
      .hosts_a_node =
          static_cast<int>(number_from("HEDDLE_TEST_HOSTS_A_NODE", shared_memory ? hosts : 1)),
      .fabrics = static_cast<int>(number_from("HEDDLE_TEST_FABRICS", 1)),
      .fault_seed = number_from("HEDDLE_TEST_FAULTS", 0),
      .shared_memory = shared_memory,
      .libfabric = transport == "libfabric",
      .tcp = transport == "tcp"};
}

PretendedHosts::PretendedHosts(const HostsWanted& wanted) {
  pretence_.hosts = wanted.hosts;
  pretence_.host_of = wanted.host_of;
  pretence_.hosts_a_node = wanted.hosts_a_node;
  if (wanted.shared_memory) {
    memory_ = platform::make_shared_file();
    shared_memory_ =
        std::make_unique<transport::ShmFactory>(memory_, wanted.hosts, transport::Sleepers::kHere);
    pretence_.transports.push_back(shared_memory_.get());
  }
  if (wanted.libfabric) {
    libfabric_ = std::make_unique<transport::FabricFactory>(transport::FabricOptions{
        .hosts = wanted.hosts, .key = 0x9E3779B97F4A7C15, .source = "127.0.0.1"});
    pretence_.transports.push_back(libfabric_.get());
  }
  if (wanted.tcp) {
    tcp_ = std::make_unique<transport::TcpFactory>(
        transport::TcpOptions{.hosts = wanted.hosts, .secret = {{1, 2}}});
    pretence_.transports.push_back(tcp_.get());
  }
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

PretendedHosts::~PretendedHosts() {
  if (memory_ >= 0) close(memory_);
}

int PretendedHosts::run(int ranks, void (*function)(void*), void* argument,
                        const MPIX_Run_options& options) {
  return heddle_run_on_hosts(ranks, function, argument, &options, &pretence_);
}

int PretendedHosts::run(const heddle_job& job) {
  return heddle_host_on_hosts(&job, &pretence_);
}

std::uint64_t PretendedHosts::packets_from(int host) noexcept {
  std::uint64_t sum = 0;
  for (const auto& fabric : fabrics_) sum += fabric->packets_from(host);
  return sum;
}

void PretendedHosts::cut(int host) noexcept {
  for (const auto& fabric : fabrics_) fabric->cut(host);
  if (shared_memory_ != nullptr) shared_memory_->segment().lose(host);
  if (libfabric_ != nullptr) libfabric_->lose(host);
  if (tcp_ != nullptr) tcp_->lose(host);
}

}  // namespace heddle::testing
