// transports.h — the wire-up: how a host finds a route to each other host, by a table of
// transports.
//
// Each kind of job has a table of its own: launched_way.cpp shared memory and a network,
// node_way.cpp shared memory, a test with pretended hosts what it likes (Pretence, layout.h). A
// job of one host has none.
//
//   WireUp::open      opens each transport that leads to some other host
//   WireUp::card      what other hosts must know about this one; a launcher carries it to them
//   WireUp::connect   with the cards of all hosts: the routes, for the gateway
//
// Two hosts talk by the first factory of the table that reaches from the one to the other. Both
// look at the same table and the same locations, so they choose the same one without asking.
//
// Thread safety: one thread, before ranks run.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "net/transport/factory.h"
#include "net/transport/routes.h"

namespace heddle::runtime {

using Factories = std::span<transport::Factory* const>;

struct HostCard {
  std::vector<transport::Address> addresses;  // by factory; empty where it was not opened
};

class WireUp {
 public:
  // `hosts`: where all hosts of the job are, by number. Fails if one of them cannot be reached, or
  // if a transport cannot be opened.
  static Error open(Factories factories, const transport::Opening& opening,
                    std::span<const transport::Location> hosts, WireUp* opened);

  HostCard card() const;

  // Once; `cards` by host.
  Error connect(std::span<const HostCard> cards, transport::Routes* routes) &&;

 private:
  Factories factories_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;  // by factory; null: not needed
  std::vector<int> factory_to_;  // by host; Routes::kNone: this one
};

}  // namespace heddle::runtime
