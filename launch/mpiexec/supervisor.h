// supervisor.h — mpiexec as two processes where a job has several: one that its user knows, and a
// supervisor, which is the parent of the job's processes. Each ends what the other leaves, so
// nothing of a job survives, whichever of the two is killed.
//
//   mpiexec ── fork ── supervisor ──┬─ rank 0 ── what it has started
//     │ waits for it                └─ rank 1 …
//     └─ passes signals on
//
//   is killed (SIGKILL)   who ends the job
//   -------------------   -------------------------------------------------------------------------
//   mpiexec               the supervisor: the kernel tells it (PR_SET_PDEATHSIG), and it kills all
//                         processes below itself
//   the supervisor        mpiexec, whose children these processes become then
//                         (PR_SET_CHILD_SUBREAPER)
//
// A process below a shell that is a rank could not be found otherwise: when its parents have died
// it is a child of init.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include "launch/mpiexec/signals.h"

namespace heddle::launch {

// In the supervisor: returns true. In mpiexec: returns false when the supervisor has ended, with
// its status; or does not return, but dies of the signal that the supervisor has died of. Throws
// Failure.
bool become_supervisor(const Signals& signals, int* status);

}  // namespace heddle::launch
