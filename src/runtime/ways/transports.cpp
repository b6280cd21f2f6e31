#include "runtime/ways/transports.h"

#include <string>
#include <utility>

namespace heddle::runtime {

namespace {

using transport::Location;
using transport::Routes;

// The first that leads from here to there; Routes::kNone if none does.
int factory_between(Factories factories, const Location& here, const Location& there) {
  for (std::size_t i = 0; i < factories.size(); ++i) {
    if (factories[i]->reaches(here, there)) return static_cast<int>(i);
  }
  return Routes::kNone;
}

Error unreachable(Factories factories, const Location& here, const Location& there) {
  std::string names;
  for (const transport::Factory* factory : factories) {
    if (!names.empty()) names += ", ";
    names += factory->name();
  }
  return Error::make(
      kErrorOther, "host %d on node %d cannot reach host %d on node %d; transports tried: %s",
      here.host, here.node, there.host, there.node, names.empty() ? "none" : names.c_str());
}

std::string opening_of(const transport::Factory& factory) {
  return "opening transport " + std::string(factory.name());
}

}  // namespace

Error WireUp::open(Factories factories, const transport::Opening& opening,
                   std::span<const Location> hosts, WireUp* opened) {
  WireUp made;
  made.factories_ = factories;
  const Location& here = hosts[static_cast<std::size_t>(opening.host)];
  made.transports_.resize(factories.size());
  for (const Location& there : hosts) {
    const bool self = there.host == here.host;
    const int index = self ? Routes::kNone : factory_between(factories, here, there);
    if (!self && index == Routes::kNone) return unreachable(factories, here, there);
    made.factory_to_.push_back(index);
    if (self) continue;
    const auto factory = static_cast<std::size_t>(index);
    if (made.transports_[factory] != nullptr) continue;
    if (Error e = factories[factory]->open(opening, &made.transports_[factory])) {
      return std::move(e).within(opening_of(*factories[factory]));
    }
  }
  *opened = std::move(made);
  return {};
}

HostCard WireUp::card() const {
  HostCard card;
  for (const auto& transport : transports_) {
    card.addresses.push_back(transport != nullptr ? transport->address() : transport::Address{});
  }
  return card;
}

Error WireUp::connect(std::span<const HostCard> cards, Routes* routes) && {
  for (std::size_t host = 0; host < cards.size(); ++host) {
    if (factory_to_[host] == Routes::kNone) continue;
    const auto factory = static_cast<std::size_t>(factory_to_[host]);
    const transport::Address& address = cards[host].addresses[factory];
    if (Error e = transports_[factory]->connect(static_cast<int>(host), address)) {
      return std::move(e).within("connecting to host " + std::to_string(host) + " by transport " +
                                 std::string(factories_[factory]->name()));
    }
  }
  // Keeps only the transports that are used, and notes their new places.
  std::vector<int> place(transports_.size(), Routes::kNone);
  Routes made;
  for (std::size_t factory = 0; factory < transports_.size(); ++factory) {
    if (transports_[factory] == nullptr) continue;
    place[factory] = static_cast<int>(made.transports.size());
    made.transports.push_back(std::move(transports_[factory]));
  }
  for (const int factory : factory_to_) {
    made.to_host.push_back(factory == Routes::kNone ? Routes::kNone
                                                    : place[static_cast<std::size_t>(factory)]);
  }
  *routes = std::move(made);
  return {};
}

}  // namespace heddle::runtime
