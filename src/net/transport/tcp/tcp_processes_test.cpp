// Hosts that are processes talk by TCP over loopback.
#include "net/transport/process_cases_test.h"
#include "net/transport/tcp/tcp.h"

namespace heddle::transport {
namespace {

struct TcpOfProcesses {
  using Factory = TcpFactory;
  static std::unique_ptr<Factory> make(int hosts) {
    return std::make_unique<Factory>(TcpOptions{.hosts = hosts, .secret = {{1, 2}}});
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, EveryNetworkOfProcesses, TcpOfProcesses);

}  // namespace
}  // namespace heddle::transport
