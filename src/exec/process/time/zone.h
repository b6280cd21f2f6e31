// zone.h — a time zone for each rank.
//
// libc has one zone a process: tzset() reads TZ from the process's environment into variables that
// localtime, mktime and the like use. So a rank's calls of these functions go through in_zone(),
// which makes libc's zone the rank's for the length of the call:
//
//   rank's TZ, as of its last tzset ─► is it what libc has read? ─ no ─► the process's TZ, tzset()
//   rank's tzname, timezone, daylight ─► libc's ─► the call ─► back into the rank's
//
//   I1  libc has read `current`, and the process's TZ has the same value.
//   I2  The holder of the lock keeps its kernel thread: it is in Standing::kHook, so no handler
//       of the program runs there, and in Standing::kSection, so no call gives the worker away; and
//       time slices do not interrupt code of libc.
//   I3  The process's TZ is the last entry of an array made for it, or absent. Changing it replaces
//       one pointer, and old arrays and entries stay, so other threads may call getenv meanwhile.
//       As with any process they may not call setenv.
//
// In a forked child libc uses the rank's environment directly, so tzset reads the rank's TZ.
//
// Libraries that ranks share see the TZ of the rank that has called last.
//
// Thread safety: any strand.

#pragma once

#include <string>
#include <vector>

#include "exec/process/time/hooks.h"

namespace heddle::process {

// hooks.h has it.
void in_zone(heddle_libc_zone* zone, int adopts, const char* tz, void (*work)(void*),
             void* argument);

// The process's environment as it would be without in_zone().
std::vector<std::string> process_variables();

}  // namespace heddle::process
