#include "runtime/node_memory.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "exec/ult/host_bell.h"
#include "runtime/transports.h"

namespace heddle::runtime {

Error NodeMemory::connect(const ProcessRank& process, const transport::Opening& opening,
                          transport::Routes* routes) {
  memory_ = std::make_unique<transport::ShmFactory>(process.memory, process.processes,
                                                    transport::Sleepers::kAtBells);
  transport::Factory* const factories[] = {memory_.get()};
  std::vector<transport::Location> hosts;
  std::vector<HostCard> cards;
  hosts.reserve(static_cast<std::size_t>(process.processes));
  cards.reserve(hosts.capacity());
  for (int host = 0; host < process.processes; ++host) hosts.push_back({host, 0});
  WireUp opened;
  if (Error e = WireUp::open(factories, opening, hosts, &opened)) return e;
  ::close(process.memory);
  for (int host = 0; host < process.processes; ++host) {
    cards.push_back({{memory_->address_of(host)}});
  }
  if (Error e = std::move(opened).connect(cards, routes)) return e;
  ult::set_host_bell(&memory_->segment().bell(process.number));
  return {};
}

}  // namespace heddle::runtime
