// pollers.h — calls the registered pollers (poller.h).
//
// Thread safety: any strand.

#pragma once

#include "exec/ult/poller.h"

namespace heddle::ult {

// Calls every registered poller once. Returns true if one of them made progress or waits for more
// polling. Never switches.
bool poll_all(int worker, PollEffort effort) noexcept;

// Returns false if no poller has anything to look for.
bool have_pollers() noexcept;

}  // namespace heddle::ult
