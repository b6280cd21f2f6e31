// watching.h — the watch that has been set (watch.h), for the rooms of this module.
//
// Thread safety: any thread.

#pragma once

#include <atomic>

#include "exec/ult/watch.h"

namespace heddle::ult {

extern constinit std::atomic<const Watch*> the_watch;

// acquire: its fields; pairs with set_watch.
inline const Watch* watch() noexcept {
  return the_watch.load(std::memory_order_acquire);
}

}  // namespace heddle::ult
