// observation.h — what a job tells of itself at its end: the table of `mpiexec --stats`, the file
// of `mpiexec --trace`.
//
//   the process is               begins in         ends in           table        file
//   ---------------------------  ----------------  ----------------  -----------  -----------------
//   the whole job (heddle-host)  run_job           run_job           by itself    written whole
//   one of several of mpiexec's  the same          the same          by mpiexec,  a part; mpiexec
//                                                                    job_page.h   makes one file
//                                                                                 (launch/mpiexec/
//                                                                                 reports.h)
//   a rank                       start_singleton   exit              the same     the same
//
// The processes that another launcher starts each tell what they know, since none of them is the
// last.
//
// A process that ends early, by MPI_Abort or a crash, tells nothing by itself; mpiexec has its
// figures all the same.
//
// Thread safety: the thread that runs the job.

#pragma once

namespace heddle::runtime {

// Does nothing unless HEDDLE_STATS or HEDDLE_TRACE asks for it. `host`: the number of this process
// among those of the job.
void begin_observation(int ranks, int workers, int host, int hosts);
void end_observation();

// Observes a process that is a rank, and writes what was observed at its exit. The call of MPI that
// makes the process a rank counts from here on.
void observe_until_exit(int ranks, int host);

}  // namespace heddle::runtime
