// run_on_hosts.h — MPIX_Run and heddle_host_main on hosts that are pretended: for tests, which
// bring the transports between them along. The library exports both, and no installed header
// declares them.
//
// Thread safety: as MPIX_Run and heddle_host_main.

#pragma once

#include "heddle/host.h"
#include "heddle/mpix.h"
#include "runtime/ways/layout.h"

extern "C" {

__attribute__((visibility("default"))) int heddle_run_on_hosts(
    int ranks, void (*function)(void*), void* argument, const MPIX_Run_options* options,
    const heddle::runtime::Pretence* pretence);

__attribute__((visibility("default"))) int heddle_host_on_hosts(
    const heddle_job* job, const heddle::runtime::Pretence* pretence);

}  // extern "C"
