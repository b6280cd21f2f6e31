// gateway.h — messages to and from other hosts: what point to point has at a host's gateway.
//
// Thread safety: one thread, before ranks run.

#pragma once

#include "net/gateway/gateway.h"
#include "net/world/process.h"

namespace heddle::p2p {

// Once the ports of this host's ranks have been made, and before the gateway is open.
void attach_to(gateway::Gateway& gateway, world::Job& job);

}  // namespace heddle::p2p
