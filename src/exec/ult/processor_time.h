// processor_time.h — the processor time of ults, each in an account of its own and in its rank's.
//
// The kernel counts the processor time of kernel threads, and a worker's thread runs many ults.
// Each worker has a meter (run/meter.h) that charges the time that passes to the account of the ult
// that runs:
//
//   A runs ──► switch ──► B runs ──► B waits, nothing is ready ──► B is ready again
//   └── to A's account ──┘└──── to B's account ──┘└─ to no account ─┘
//
// begin_metering() starts it, when a rank first asks for its time. Until then nothing is measured
// and switches cost nothing more. Afterwards each switch reads a clock.
//
// If no ult is ready, what the worker does (spinning, polling, parts of other strands' work) is
// charged to no account. A ult that does not switch is charged at each tick of its time slice.
//
// Thread safety: any strand.

#pragma once

#include "exec/ult/account.h"

namespace heddle::ult {

// From now on the calling ult's time is `account`'s; nullptr: no account's, as at first. The
// account may be freed only after its ult has adopted another one, or nullptr.
void adopt_account(Account* account) noexcept;

// Starts measuring; it cannot be stopped. May be called at any time.
void begin_metering() noexcept;

// Charges the calling ult with its time up to now.
void charge_now() noexcept;

// What this worker has charged to accounts since measuring began, in nanoseconds. It is behind by
// what its ult has used since the last switch or tick. Requires 0 <= worker < worker_count().
std::int64_t charged_by_worker(int worker) noexcept;

}  // namespace heddle::ult
