// started_processes.h — runs the ranks of a test in processes of their own, as mpiexec starts them: a variable of the environment
// says how.
//
//   HEDDLE_TEST_PROCESSES    each: a rank is a process (src/runtime/carrier/singleton.h); a number: so many processes share out the
//                            ranks, which are threads (src/runtime/crew/hosts.h); not set: all ranks are in this process
//
//   the test's process ── fork ──┬─ process 0: its ranks, then the end, with status 1 if a check has failed
//     waits for all              └─ process 1 …
//
// Ranks then share no variables: a test whose ranks compare notes through memory cannot run so.
//
// Thread safety: one thread, which is the only one of its process.

#pragma once

#include <functional>

namespace heddle::testing {

// 0: all ranks are in this process. Else at most a process a rank.
int processes_wanted(int ranks);

// Calls `run(process)` in each of the processes. True if all have ended well; when one does not, the others are killed.
bool run_in_processes(int processes, const std::function<bool(int process)>& run);

}  // namespace heddle::testing
