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

/* An array section that is the argument `buffer` of `call`, and what the call is asked to read or write of it: `count` elements of
 * `type`, or counts and displacements for each block, in elements, or with `types` in bytes. */
struct heddle_section {
  const char *call, *buffer;
  MPI_Count bytes; /* of the section */
  MPI_Comm comm;   /* hears of the error, and tells how many blocks there are */
  /* One block; one for each rank of the other side, of the own group, that the calling rank hears or is heard by; or
   * that of the calling rank, of blocks for each rank of the own group. */
  enum {
    HEDDLE_ONE,
    HEDDLE_PEERS,
    HEDDLE_GROUP,
    HEDDLE_SOURCES,
    HEDDLE_DESTINATIONS,
    HEDDLE_OWN
  } blocks;
  /* At which ranks the argument means something: at all; at the root; at those that are not only the root; at both. */
  enum { HEDDLE_EVERYWHERE, HEDDLE_AT_ROOT, HEDDLE_CONTRIBUTES, HEDDLE_OF_BROADCAST } where;
  int root;
  MPI_Count count;
  const void *counts, *displacements;   /* null: `count`; one behind the other */
  int counts_are_wide, places_are_wide; /* MPI_Count or MPI_Aint, else int */
  MPI_Datatype type;
  const MPI_Datatype* types; /* null: `type` */
};

/* MPI_SUCCESS if all of it lies within the section, or if the call will complain of another argument. Else the error, of which
 * the error handler has heard. */
__attribute__((visibility("default"))) int heddle_check_section(
    const struct heddle_section* section);

/* Attributes (MPI 5.0 19.3.7). Cells are memory of the library: a value of Fortran, which is an MPI_Aint and whose address C
 * gets, or a keyval's extra state. Null: no memory is left. */
__attribute__((visibility("default"))) void* heddle_new_cell(size_t bytes);
__attribute__((visibility("default"))) void heddle_free_cell(void* cell);

/* A keyval that has just been made with a cell as its extra state: its callbacks are Fortran's, and get the value as an
 * integer where C's get a pointer. The library frees the cell when the keyval has ended. */
__attribute__((visibility("default"))) void heddle_fortran_keyval(int keyval);

/* `cell` has just been set as an attribute: it is the library's from now on. The handle is an MPI_Comm, an
 * MPI_Datatype or an MPI_Win. */
enum heddle_owner { HEDDLE_COMM, HEDDLE_TYPE, HEDDLE_WIN };
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
