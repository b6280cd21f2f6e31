// transports.h — the table of transports, and the wire-up: how a host finds a route to each other
// host. The usual table is empty until the library has a network; jobs of several processes bring
// their own (node_memory.h).
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

// The transports of the library, best first. There are none yet (docs/roadmap.md):
// today a job has one host. Tests give others (Pretence).
Factories usual_factories() noexcept;

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
