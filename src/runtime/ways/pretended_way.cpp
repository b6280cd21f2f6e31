#include "runtime/ways/pretended_way.h"

#include <utility>

#include "exec/ult/poller.h"
#include "runtime/ways/transports.h"

namespace heddle::runtime {

Error PretendedWay::connect(const Opening& opening, std::vector<transport::Routes>* routes) {
  const std::vector<int>& nodes = opening.layout.node_of_host;
  std::vector<transport::Location> locations;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    locations.push_back({static_cast<int>(i), nodes[i]});
  std::vector<WireUp> opened(nodes.size());
  std::vector<HostCard> cards;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const transport::Opening each{static_cast<int>(i), opening.channels, ult::nudge};
    if (Error e = WireUp::open(pretence_.transports, each, locations, &opened[i])) return e;
    cards.push_back(opened[i].card());
  }
  routes->resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (Error e = std::move(opened[i]).connect(cards, &(*routes)[i])) return e;
  }
  return {};
}

}  // namespace heddle::runtime
