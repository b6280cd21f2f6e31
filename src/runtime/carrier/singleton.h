// singleton.h — one rank in this process, whose strands are the kernel threads of the process.
//
//   started directly, without mpiexec (MPI 5.0 §11.8.2)    a job of one rank
//   started by mpiexec as one process of a job             rank R of N (job_board.h): each rank
//                                                          is a host of its own, and shared memory
//                                                          leads to the others
//   started by another launcher, which we can talk to      rank R of N (launched_way.h), the same
//                                                          on several nodes
//
// No workers are started: a waiting kernel thread polls, runs what ults are ready
// (exec/ult/lend.h), spins briefly, and parks on a futex or at the host's bell.
//
// Thread safety: any strand.

#pragma once

#include "base/error.h"
#include "runtime/crew/state.h"

namespace heddle::runtime {

// Makes the calling process a rank and its caller a strand of it. Lasts until the process ends.
Error start_singleton();

// True if the process is a singleton's; the calling kernel thread is then one of its strands. For
// threads that were never entered into the rank, such as those that a library made before MPI_Init.
bool adopt_strand() noexcept;

// The phase of the calling strand's rank (state.h). Before, a strand of a singleton is adopted.
Phase phase_of_caller() noexcept;

// In MPI_Finalize, when all ranks have come there: sends what still waits. Where another launcher
// or a network leads to the other hosts, also parts from them: the process may end from now on as
// it likes. Memory that they share needs no parting, and stays for sessions. Does nothing in a job
// of one, and nothing for the ranks that are threads.
void leave_process_job() noexcept;

// True once this host has parted from others.
bool has_left_process_job() noexcept;

// At the end of the last session, where others may come later: sends what still waits. A process
// that ends then parts from the others on its way out. Does nothing in a job of one, and nothing
// for the ranks that are threads.
void rest_in_process_job() noexcept;

}  // namespace heddle::runtime
