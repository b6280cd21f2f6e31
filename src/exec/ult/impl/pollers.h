// pollers.h — the registered pollers, for those who have nothing better to do.
//
// Thread safety: any strand.

#pragma once

#include "exec/ult/poller.h"

namespace heddle::ult {

// Calls every registered poller once. True: one of them made progress. Never switches.
bool poll_all() noexcept;

}  // namespace heddle::ult
