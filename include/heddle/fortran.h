/* fortran.h - what libmpi_abi.so.1 does for the Fortran wrappers besides the functions of the standard.
 *
 * Not an interface for programs: both sides are of one release.
 */
#ifndef HEDDLE_FORTRAN_H
#define HEDDLE_FORTRAN_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is done around an operation whose buffers are copies of array sections. `first` and `last` name
 * partitions; HEDDLE_WHOLE, twice, stands for the whole buffers. Each gets `state`. */
enum { HEDDLE_WHOLE = -1 };
struct heddle_follower {
  void (*before)(void* state, int first, int last); /* MPI_Start, MPI_Pready */
  void (*after)(void* state, int first, int last);  /* the operation is done, MPI_Parrived */
  void (*end)(void* state);                         /* the request is gone */
  void* state;
};

/* Makes the follower part of a request that a call has just returned. The handle stays the same. An operation
 * that is done already gets its after() and end() at once, unless it is persistent. Nonzero: no memory
 * is left, and the request is as before. */
__attribute__((visibility("default"))) int heddle_follow(MPI_Request request,
                                                         const struct heddle_follower* follower);

#ifdef __cplusplus
}
#endif

#endif
