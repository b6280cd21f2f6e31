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

/* What a rank has loaded its workers with: the processor time that workers have spent on its strands,
 * in seconds. Time in which it waits does not count, nor does what its kernel threads use. It is
 * measured from the first call of this function, of MPIX_Worker_load or MPIX_Balance in the process
 * on, or from the start of the job with mpiexec --balance; the first call sees 0. Of a strand that
 * computes, the time since its last switch or time slice is missing; of the caller none. Measuring
 * makes each switch some 50 ns slower. Never switches. Errors as above. */
__attribute__((visibility("default"))) int MPIX_Rank_load(MPI_Comm comm, int rank, double* seconds);

/* What worker `worker` of the calling process has spent on ranks, in seconds, measured in the same
 * way. MPI_ERR_ARG: there is no such worker. MPI_ERR_UNSUPPORTED_OPERATION: no workers run the
 * caller. */
__attribute__((visibility("default"))) int MPIX_Worker_load(int worker, double* seconds);

/* What a policy sees, and what it decides. */
typedef struct MPIX_Loads {
  double seconds; /* how long the loads were measured */
  int ranks;      /* of the communicator; of the remote group of an intercommunicator */
  const double*
      rank_loads; /* [ranks] processor time of each in these seconds; 0: in another process */
  int workers;    /* of the calling process */
  const double*
      worker_loads; /* [workers] what each has spent on ranks, those of other communicators too */
  int* places;      /* [ranks] the worker of each; -1: in another process, or it has not begun or
                                 has ended. The policy writes here where each is to go */
  const double*
      rank_loads_by_worker; /* [ranks][workers] the part of a rank's load that each worker has
                                         spent: a rank's threads may run on several. A rank that is
                                         moved takes all of them along */
} MPIX_Loads;

typedef void MPIX_Balance_function(MPIX_Loads* loads, void* extra_state);

/* The policy of mpiexec --balance: the rank whose move brings the busiest and the least busy worker closest
 * together goes from one to the other, until that gains nothing more. */
#define MPIX_BALANCE_EVEN ((MPIX_Balance_function*)0)

/* Asks a policy once where ranks are to be, and moves those whose place it has changed as
 * MPIX_Rank_migrate does. Local: one rank may call it, or several, each when it likes; for example rank 0
 * once in a time step. The policy sees the loads since the calling rank's last call of this function;
 * in the first call all are 0.
 * The policy is called once, before this function returns, on the calling thread: the global variables
 * are those of the calling rank, and the policy may do what the program may do elsewhere, MPI calls
 * included, but not call MPIX_Balance. Threads of a rank must not call it at the same time.
 * `*moved`: how many ranks were told to move; `moved` may be null. Switches only if the policy does.
 * MPI_ERR_ARG: the policy has named a worker that there is not, or moved a rank whose place is -1; then no
 * rank moves. MPI_ERR_UNSUPPORTED_OPERATION: no workers run the caller. */
__attribute__((visibility("default"))) int MPIX_Balance(MPI_Comm comm,
                                                        MPIX_Balance_function* policy,
                                                        void* extra_state, int* moved);

#ifdef __cplusplus
}
#endif

#endif
