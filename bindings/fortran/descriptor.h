// descriptor.h — a dummy of mpi_f08 that is TYPE(*), DIMENSION(..): the compiler's own descriptor of the argument.
//
// The interfaces of mpi_f08 are no BIND(C) ones, since the standard's specific procedures are none (MPI 5.0 §19.1.5): a
// Fortran tool that has a procedure MPI_Send_f08ts gets the same descriptor. HEDDLE_FLANG: flang's, that of
// CFI_cdesc_t; else gfortran's (libgfortran 5, gcc 8 and later).

#pragma once

#include <stddef.h>

enum { F_RANKS = 15 };

#ifdef HEDDLE_FLANG

typedef struct {
  char* base;
  size_t element;
  int version;
  unsigned char rank;
  signed char type;
  unsigned char attribute, extra;
  struct {
    ptrdiff_t lower, extent, stride;  // in bytes
  } dim[F_RANKS];
} F_Descriptor;

static inline ptrdiff_t f_element(const F_Descriptor* x) {
  return (ptrdiff_t)x->element;
}
static inline ptrdiff_t f_extent(const F_Descriptor* x, int i) {
  return x->dim[i].extent;
}
static inline ptrdiff_t f_stride(const F_Descriptor* x, int i) {
  return x->dim[i].stride;
}

#else

typedef struct {
  char* base;  // the first element of the section
  ptrdiff_t offset;
  size_t length;  // of an element; wrong for CLASS(*)
  int version;
  signed char rank, type;
  short attribute;
  ptrdiff_t span;  // of an element
  struct {
    ptrdiff_t stride, lower, upper;  // in elements
  } dim[F_RANKS];
} F_Descriptor;

static inline ptrdiff_t f_element(const F_Descriptor* x) {
  return x->span;
}
// An array of assumed size has -1 as its last bound.
static inline ptrdiff_t f_extent(const F_Descriptor* x, int i) {
  return x->dim[i].upper - x->dim[i].lower + 1;
}
static inline ptrdiff_t f_stride(const F_Descriptor* x, int i) {
  return x->dim[i].stride * x->span;
}

#endif
