/* fortran.h - what libmpi_abi.so.1 does for the Fortran wrappers besides the functions of the standard.
 *
 * Not an interface for programs: both sides are of one release.
 */
#ifndef HEDDLE_FORTRAN_H
#define HEDDLE_FORTRAN_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The handle whose low half is `value`, of any kind; where there is none, one that is no object's. */
__attribute__((visibility("default"))) void* heddle_handle(int value);

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

/* Attributes (MPI 5.0 19.3.7). Cells are memory of the library: a value of Fortran, which is an MPI_Aint and whose address C
 * gets, or a keyval's extra state. Null: no memory is left. */
__attribute__((visibility("default"))) void* heddle_new_cell(size_t bytes);
__attribute__((visibility("default"))) void heddle_free_cell(void* cell);

/* A keyval that has just been made with a cell as its extra state: its callbacks are Fortran's, and get the value as an
 * integer where C's get a pointer. The library frees the cell when the keyval has ended. */
__attribute__((visibility("default"))) void heddle_fortran_keyval(int keyval);

/* `cell` has just been set as an attribute: it is the library's from now on. The handle is an MPI_Comm or an MPI_Datatype. */
enum heddle_owner { HEDDLE_COMM, HEDDLE_TYPE };
__attribute__((visibility("default"))) void heddle_fortran_attribute(enum heddle_owner kind,
                                                                     void* handle, int keyval,
                                                                     void* cell);

/* Nonzero: Fortran has set the attribute, and C gets the address of its cell. */
__attribute__((visibility("default"))) int heddle_is_fortrans(enum heddle_owner kind, void* handle,
                                                              int keyval);

#ifdef __cplusplus
}
#endif

#endif
