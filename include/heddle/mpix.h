/* mpix.h - Heddle's extensions to the MPI standard. */
#ifndef HEDDLE_MPIX_H
#define HEDDLE_MPIX_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of MPIX_Run; zero means the default everywhere. */
typedef struct MPIX_Run_options {
  int workers;               /* kernel threads that run the ranks; 0: one a core */
  unsigned long stack_bytes; /* of each rank; 0: 256 KiB */
  unsigned long yield_seed;  /* debug builds: forces seeded random yields */
} MPIX_Run_options;

/* Runs `ranks` MPI processes inside the calling process, without a launcher: each calls
 * function(argument) on a user-level thread, and there MPI_Init and the rest of MPI. Returns when
 * all have ended: MPI_SUCCESS, or an error class if an argument or a setting is wrong or workers
 * cannot be started; then none has run. The process ends if there is no memory for one of the
 * ranks, or if a rank that has called MPI_Init returns without MPI_Finalize. `options` may be null.
 * Global variables are shared between these ranks. Refused in a rank, and while another MPIX_Run
 * goes on. */
__attribute__((visibility("default"))) int MPIX_Run(int ranks, void (*function)(void*),
                                                    void* argument,
                                                    const MPIX_Run_options* options);

/* Moves a rank to a worker of its host: its main strand, its threads that the workers run, and the
 * helpers of its nonblocking collectives. `rank` is a rank of `comm`, of the remote group if that is
 * an intercommunicator. Any rank of the same process may call it, at any time between MPI_Init and
 * MPI_Finalize. It returns at once: each strand goes when it next waits, yields or is interrupted,
 * and one that waits goes when it would run. Of several moves the last one counts.
 * MPI_ERR_UNSUPPORTED_OPERATION: the rank is in another process than the caller, or no workers run
 * it. */
__attribute__((visibility("default"))) int MPIX_Rank_migrate(MPI_Comm comm, int rank, int worker);

/* The worker where a rank's main strand is, or goes, and how many there are: 0 to *workers - 1.
 * Errors as above. */
__attribute__((visibility("default"))) int MPIX_Rank_worker(MPI_Comm comm, int rank, int* worker,
                                                            int* workers);

#ifdef __cplusplus
}
#endif

#endif
