// Hosts that are processes talk by libfabric over loopback.
#include "net/transport/fabric/fabric.h"
#include "net/transport/process_cases_test.h"

namespace heddle::transport {
namespace {

struct FabricOfProcesses {
  using Factory = FabricFactory;
  static std::unique_ptr<Factory> make(int hosts) {
    FabricOptions options;
    options.hosts = hosts;
    options.key = 17;
    options.source = "127.0.0.1";
    return std::make_unique<Factory>(options);
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Fabric, EveryNetworkOfProcesses, FabricOfProcesses);

}  // namespace
}  // namespace heddle::transport
