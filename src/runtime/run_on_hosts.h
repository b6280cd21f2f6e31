// run_on_hosts.h — MPIX_Run on hosts that are pretended: for tests, which bring the transports between
// them along. The library exports it, and no installed header declares it.
//
// Thread safety: as MPIX_Run.

#pragma once

#include "heddle/mpix.h"
#include "runtime/layout.h"

extern "C" __attribute__((visibility("default"))) int heddle_run_on_hosts(
    int ranks, void (*function)(void*), void* argument, const MPIX_Run_options* options,
    const heddle::runtime::Pretence* pretence);
