// wiring.h — sets up this module in a process that hosts ranks: its limits, its streams, its part
// in each worker.
//
// Thread safety: wire before the first rank and before the scheduler starts, unwire after the last
// rank.

#pragma once

#include "base/error.h"
#include "exec/process/main/host_hooks.h"
#include "exec/process/program/plugins.h"
#include "exec/process/state/output.h"

namespace heddle::process {

struct Wiring {
  OutputOptions output;
  PluginLoader plugins;
  RankEnder ender;
};

Error wire(const Wiring& wiring);

// libc's own streams are the process's again.
void unwire() noexcept;

}  // namespace heddle::process
