// callers.h — which calls of signals' functions libc serves itself.
//
// Thread safety: any thread.

#pragma once

#include "exec/process/exports/own_code.h"
#include "exec/process/signals/signals.h"

namespace heddle::process::signals {

// True for a call by code of the process, and where no rank keeps its signals.
inline bool is_libcs(const void* caller) noexcept {
  return !kept_here() || process::is_of_process(caller);
}

}  // namespace heddle::process::signals
