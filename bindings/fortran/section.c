// section.c — see section.h.

#include "bindings/fortran/section.h"

#include <heddle/fortran.h>
#include <stdio.h>
#include <string.h>

// Where element number `n` of the section is.
static char* place(const F_Section* s, ptrdiff_t n) {
  char* at = s->base;
  for (int i = 0; i < s->rank; ++i) {
    at += n % s->extent[i] * s->stride[i];
    n /= s->extent[i];
  }
  return at;
}

static void gather_bytes(char* copy, const char* at, ptrdiff_t bytes) {
  if (bytes == 8) {  // known lengths need no call
    memcpy(copy, at, 8);
  } else if (bytes == 4) {
    memcpy(copy, at, 4);
  } else {
    memcpy(copy, at, (size_t)bytes);
  }
}

static void scatter_bytes(char* at, const char* copy, char* before, ptrdiff_t bytes) {
  for (ptrdiff_t i = 0; i < bytes; ++i) {
    if (copy[i] == before[i]) continue;
    at[i] = copy[i];
    before[i] = copy[i];
  }
}

// Moves the bytes from `begin` to before `end` of the copy: `back` into the section what has changed, else from there.
static void move_bytes(const F_Section* s, ptrdiff_t begin, ptrdiff_t end, int back) {
  while (begin < end) {
    const ptrdiff_t n = begin / s->element;
    ptrdiff_t within = begin % s->element;
    char* element = place(s, n);
    for (ptrdiff_t i = n % s->extent[0]; i < s->extent[0] && begin < end; ++i) {
      const ptrdiff_t left = s->element - within;
      const ptrdiff_t bytes = left < end - begin ? left : end - begin;
      if (back) {
        scatter_bytes(element + within, s->copy + begin, s->before + begin, bytes);
      } else {
        gather_bytes(s->copy + begin, element + within, bytes);
      }
      begin += bytes;
      within = 0;
      element += s->stride[0];
    }
  }
}

// Partitions `first` to `last`, or all.
static void move_partitions(const F_Section* s, int first, int last, int back) {
  if (first == HEDDLE_WHOLE) return move_bytes(s, 0, s->bytes, back);
  const ptrdiff_t end = (last + (ptrdiff_t)1) * s->partition;
  move_bytes(s, first * s->partition, end < s->bytes ? end : s->bytes, back);
}

void f_refuse(const char* function) {
  fprintf(stderr,
          "%s was called with an array section that is not contiguous, which is not possible yet; "
          "pass a contiguous array\n",
          function);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

static void* room(ptrdiff_t bytes) {
  void* const memory = malloc((size_t)bytes);
  if (memory == NULL) f_no_memory();
  return memory;
}

static void gather(F_Section* s, int first, int last) {
  move_partitions(s, first, last, 0);
  if (s->before != NULL) memcpy(s->before, s->copy, (size_t)s->bytes);
}

void* f_open_slow(F_Section* s, const F_Descriptor* x, int direction) {
  ptrdiff_t elements = 1;
  s->element = f_element(x);
  s->rank = 0;
  for (int i = 0; i < x->rank; ++i) {
    const ptrdiff_t extent = f_extent(x, i);
    elements *= extent > 0 ? extent : 0;
    if (s->rank == 0 && f_stride(x, i) == s->element) {  // side by side: one larger element
      s->element *= extent;
      continue;
    }
    s->extent[s->rank] = extent;
    s->stride[s->rank++] = f_stride(x, i);
  }
  if (elements == 0) return x->base;
  s->base = x->base;
  s->bytes = elements * f_element(x);
  s->partition = 0;
  s->copy = room(s->bytes);
  s->before = direction == F_OUT ? room(s->bytes) : NULL;
  gather(s, HEDDLE_WHOLE, HEDDLE_WHOLE);
  return s->copy;
}

static void release(F_Section* s) {
  free(s->copy);
  free(s->before);
}

void f_close_slow(F_Section* s) {
  if (s->before != NULL) move_partitions(s, HEDDLE_WHOLE, HEDDLE_WHOLE, 1);
  release(s);
}

// What a request keeps: its sections; a second one whose copy is null is none.
typedef struct {
  F_Section sections[2];
} F_Follower;

static void before(void* state, int first, int last) {
  F_Follower* const own = state;
  for (int i = 0; i < 2; ++i) {
    F_Section* const s = &own->sections[i];
    // The copy of a message in partitions is filled when they are handed over.
    if (s->copy == NULL || (first == HEDDLE_WHOLE && s->partition != 0 && s->before == NULL))
      continue;
    gather(s, first, last);
  }
}

static void after(void* state, int first, int last) {
  F_Follower* const own = state;
  for (int i = 0; i < 2; ++i) {
    const F_Section* const s = &own->sections[i];
    if (s->copy != NULL && s->before != NULL) move_partitions(s, first, last, 1);
  }
}

static void end(void* state) {
  F_Follower* const own = state;
  for (int i = 0; i < 2; ++i) {
    if (own->sections[i].copy != NULL) release(&own->sections[i]);
  }
  free(own);
}

void f_follow_slow(MPI_Request request, F_Section* a, F_Section* b) {
  F_Follower* const own = room(sizeof *own);
  own->sections[0] = *a;
  own->sections[1].copy = NULL;
  if (b != NULL) own->sections[1] = *b;
  const struct heddle_follower follower = {before, after, end, own};
  if (heddle_follow(request, &follower) != MPI_SUCCESS) f_no_memory();
}
