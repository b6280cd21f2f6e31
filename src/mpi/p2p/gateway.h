// gateway.h — opens a host's way to the other hosts of its job.
//
// Thread safety: one thread, before ranks run.

#pragma once

#include <memory>

#include "net/transport/routes.h"
#include "net/world/host.h"

namespace heddle::p2p {

// Once the ports of this host's ranks have been made: packets may come from now on, until it ends.
std::unique_ptr<world::Gateway> open_gateway(world::Job& job, transport::Routes routes);

}  // namespace heddle::p2p
