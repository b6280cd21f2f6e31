// wrappers.h — what the wrappers of Fortran's procedures share (README.md).
//
// All of it lies in a static archive, so in each rank's own image: the COMMON block of sentinels, too. A wrapper compares
// with the addresses of its own image and hands C's constants to the library.
//
// Thread safety: plain functions over their arguments.

#pragma once

#include <heddle/fortran.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define F_WEAK __attribute__((weak))
#define F_SLOW __attribute__((noipa))  // gets its arguments as they came

// The COMMON block /HEDDLE_MPI/ of mpif.h and the modules (SENTINELS of fortran_interfaces.py).
extern struct Sentinels {
  int bottom, in_place, buffer_automatic;
  int status_ignore[8], statuses_ignore[8];
  int errcodes_ignore[1], unweighted[1], weights_empty[1];
  char argv_null[1], argvs_null[1];
} heddle_mpi_;

static inline void f_return(int* ierror, int error) {
  if (ierror != NULL) *ierror = error;
}

enum { F_FEW = 32 };  // handles for which a wrapper has room on its stack

// Handles. The ABI's constants are their own numbers, and need no call. The low half of a handle is Fortran's INTEGER.
#define F_CONSTANT(value) ((void*)(size_t)(unsigned)(value))
#define F_IS_CONSTANT(handles) \
  ((size_t)(handles) < 0x1000)  // of several, joined by `|`: whether all are
#define F_FROM(value) (F_IS_CONSTANT((unsigned)(value)) ? F_CONSTANT(value) : heddle_handle(value))
#define F_INT(handle) ((int)(size_t)(handle))

// C's address of a choice buffer. The members that may be one lie where C's constants 0, 1 and 2 lead.
_Static_assert(offsetof(struct Sentinels, buffer_automatic) == 2 * sizeof(int),
               "MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC");
static inline void* f_buffer(void* buffer) {
  const size_t offset = (size_t)buffer - (size_t)&heddle_mpi_;
  if (__builtin_expect_with_probability(offset >= sizeof heddle_mpi_, 1, 1.0)) return buffer;
  return (void*)(offset / sizeof(int));
}

// Fortran's statuses are C's, bit by bit. Of the block, a status can only be one that is to be ignored.
static inline MPI_Status* f_statuses(int* status) {
  const size_t offset = (size_t)status - (size_t)&heddle_mpi_;
  return offset < sizeof heddle_mpi_ ? MPI_STATUS_IGNORE : (MPI_Status*)status;
}

static inline int* f_weights(int* weights) {
  if (weights == heddle_mpi_.unweighted) return MPI_UNWEIGHTED;
  return weights == heddle_mpi_.weights_empty ? MPI_WEIGHTS_EMPTY : weights;
}

// Room for `n` elements: `few`, or memory that the caller frees. Ends the job if there is none.
void* f_room_slow(long n, size_t size);
static inline void* f_room(void* few, long n, size_t size) {
  return n <= F_FEW ? few : f_room_slow(n, size);
}

// Ends the job.
void f_no_memory(void) __attribute__((noreturn));

// Copies of a Fortran string, to be freed: without the blanks at its end, or at both ends.
char* f_string(const char* text, size_t length);
char* f_stripped(const char* text, size_t length);

// Fills a Fortran string: cut off at its length, or with blanks behind.
void f_pad(char* to, size_t length, const char* text);

// The lengths of arrays that MPI_Alltoallw and its kin take.
int f_peers(MPI_Comm comm);
int f_neighbors(MPI_Comm comm, int receiving);

// Tells the library of Fortran, once MPI has begun.
void f_describe(void);

// Whether MPI_Waitsome, with outcome `error`, has written indices.
int f_has_indices(int error);

// F_F08: mpi_f08's name for the same function. Each file but predefined.c and shared.c is compiled twice: for mpi_x_, which calls MPI_X, and for pmpi_x_.
#ifdef HEDDLE_PROFILING_NAMES
#define F_NAME(name) pmpi_##name##_
#define F_CALL(name) PMPI_##name
#define F_F08(name)                                    \
  extern __typeof__(pmpi_##name##_) pmpi_##name##_f08_ \
      __attribute__((weak, alias("pmpi_" #name "_")));
#else
#define F_NAME(name) F_WEAK mpi_##name##_
#define F_CALL(name) MPI_##name
#define F_F08(name) \
  extern __typeof__(mpi_##name##_) mpi_##name##_f08_ __attribute__((weak, alias("mpi_" #name "_")));
#endif
