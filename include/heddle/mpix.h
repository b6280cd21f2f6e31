/* mpix.h - Heddle's extensions to the MPI standard. */
#ifndef HEDDLE_MPIX_H
#define HEDDLE_MPIX_H

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

#ifdef __cplusplus
}
#endif

#endif
