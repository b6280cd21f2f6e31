#include "runtime/ways/node_way.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"
#include "runtime/ways/transports.h"

namespace heddle::runtime {

NodeWay::NodeWay(int process, int processes, int memory)
    : Way(process, std::vector<int>(static_cast<std::size_t>(processes))),
      descriptor_(memory),
      memory_(memory, processes, transport::Sleepers::kAtBells) {}

Error NodeWay::connect(const Opening& opening, std::vector<transport::Routes>* routes) {
  transport::Factory* const factories[] = {&memory_};
  std::vector<transport::Location> hosts;
  std::vector<HostCard> cards;
  hosts.reserve(static_cast<std::size_t>(processes()));
  for (int host = 0; host < processes(); ++host) hosts.push_back({host, 0});
  WireUp opened;
  if (Error e = WireUp::open(factories, {process(), opening.channels, ult::nudge}, hosts, &opened))
    return e;
  ::close(descriptor_);
  cards.reserve(hosts.size());
  for (int host = 0; host < processes(); ++host) cards.push_back({{memory_.address_of(host)}});
  routes->resize(hosts.size());
  transport::Routes& own = (*routes)[static_cast<std::size_t>(process())];
  if (Error e = std::move(opened).connect(cards, &own)) return e;
  ult::set_host_bell(&memory_.segment().bell(process()));
  return {};
}

}  // namespace heddle::runtime
