// pollers.h — the registered pollers, for those who have nothing better to do.
//
// Thread safety: any strand.

#pragma once

#include "exec/ult/poller.h"

namespace heddle::ult {

// Calls every registered poller once. True: one of them made progress or waits for more polling.
// Never switches.
bool poll_all(int worker, Look look) noexcept;

// False: no poller has anything to look for.
bool have_pollers() noexcept;

}  // namespace heddle::ult
