// section.h — array sections as buffers: mpi_f08's subroutines whose names end with _f08ts (MPI 5.0 §19.1.12).
//
//   f_open    contiguous: the address, after one test. Else the section is gathered into a copy, the call's buffer
//   f_close   a blocking call: what the call has changed in the copy goes back into the section
//   f_follow  a nonblocking or persistent call: the library does that when the request is done, and gathers again when
//             it starts again (heddle/fortran.h)
//
// So each kind of call is right, whatever its counts mean: reductions, blocks of all ranks, derived datatypes, whose
// displacements count in the copy. What has changed is found by comparing with a second copy. A byte that the call has
// not changed is not written: the program may change it meanwhile, if it is not part of the message.
//
// Thread safety: a section belongs to its call, then to its request.

#pragma once

#include "bindings/fortran/descriptor.h"
#include "bindings/fortran/wrappers.h"

enum { F_IN, F_OUT };  // F_OUT: the call may write

typedef struct {
  char* copy;    // null: the buffer is contiguous
  char* before;  // F_OUT: the copy as it was before the call
  char* base;
  ptrdiff_t element, bytes;  // of an element: as many of the leading dimensions as lie side by side
  int rank;
  ptrdiff_t extent[F_RANKS], stride[F_RANKS];  // in elements, in bytes
  ptrdiff_t partition;                         // bytes of a partition
} F_Section;

void* f_open_slow(F_Section* section, const F_Descriptor* x, int direction);
void f_close_slow(F_Section* section);
void f_follow_slow(MPI_Request request, F_Section* a, F_Section* b);

// Whether the elements lie side by side; without elements, too.
static inline int f_is_contiguous(const F_Descriptor* x) {
  ptrdiff_t expected = f_element(x);
  for (int i = 0; i < x->rank; ++i) {
    if (__builtin_expect(f_stride(x, i) != expected, 0)) return 0;
    expected *= f_extent(x, i);
  }
  return 1;
}

static inline void* f_open(F_Section* section, const F_Descriptor* x, int direction) {
  section->copy = NULL;
  return f_is_contiguous(x) ? f_buffer(x->base) : f_open_slow(section, x, direction);
}

// For calls that no request ends, the split collectives of files: a section that is not contiguous ends the job with a sentence.
void f_refuse(const char* function) __attribute__((noreturn));
static inline void* f_whole(const F_Descriptor* x, const char* function) {
  if (!f_is_contiguous(x)) f_refuse(function);
  return f_buffer(x->base);
}

static inline void f_close(F_Section* section) {
  if (__builtin_expect(section->copy != NULL, 0)) f_close_slow(section);
}

// With outcome `error` of the call. `b`: null if it has one buffer.
static inline void f_follow(int error, MPI_Request request, F_Section* a, F_Section* b) {
  const int any = a->copy != NULL || (b != NULL && b->copy != NULL);
  if (__builtin_expect(!any, 1)) return;
  if (error == MPI_SUCCESS) return f_follow_slow(request, a, b);
  f_close(a);
  if (b != NULL) f_close(b);
}

// For the calls of partitions: how many bytes of the copy each has.
static inline void f_divide(F_Section* section, MPI_Datatype type, MPI_Count count) {
  MPI_Count lower = 0, extent = 0;
  if (section->copy == NULL || PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS) return;
  section->partition = (ptrdiff_t)(count * extent);
}
