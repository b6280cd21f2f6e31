// kept_signals.h — which signals come to our handler (dispatch.h) though no rank has set an action
// for them.
//
// Thread safety: any thread, not in handlers.

#pragma once

#include "exec/process/signals/rank_signals.h"

namespace heddle::process::signals {

// Keeps these signals of a rank from now on, which are blocked or waited for: the kernel has them
// blocked nowhere.
void expect(RankSignals& rank, Mask signals);

// Makes our handler that of the signals that the kernel drops by default.
void handle_dropped_signals() noexcept;

}  // namespace heddle::process::signals
