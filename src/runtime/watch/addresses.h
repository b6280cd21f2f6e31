// addresses.h — where a port of this machine can be reached, and connections to it.
//
//   "41235 10.77.0.1 fd00::1"      a port and addresses of the machine
//
// Thread safety: any thread.

#pragma once

#include <string>

#include "base/error.h"

namespace heddle::watch {

// Opens a port of all addresses, or of the loopback alone. `*address` is as above.
Error listen_somewhere(bool loopback_only, int* descriptor, std::string* address);

// Calls `accept` with a connection to each of the addresses in turn, until it returns true and so keeps the descriptor. Waits
// some seconds for each at most.
Error connect_to(const std::string& address, bool (*accept)(int descriptor, void* context),
                 void* context);

}  // namespace heddle::watch
