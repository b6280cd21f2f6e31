/* payload.c - memory, and the numbers and patterns by which received data is checked; see common.h. */
#include <unistd.h>

#include "common.h"

enum { EDGE = sizeof(unsigned) }; /* bytes of a stamp */

void* bench_memory(size_t bytes) {
  const size_t page = 4096, whole = bytes ? (bytes + page - 1) / page * page : page;
  void* memory = aligned_alloc(page, whole);
  if (!memory) {
    fprintf(stderr, "there are no %zu bytes of memory\n", whole);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(memory, 0, whole);
  return memory;
}

static unsigned char pattern(size_t i, unsigned seed) {
  return (unsigned char)((i * 2654435761u + seed * 40503u + 17) >> 8);
}

/* The caches that all members share hold no more than this; some machines do not tell. */
static size_t largest_cache(void) {
  const size_t least = (size_t)32 << 20;
  long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return bytes > (long)least ? (size_t)bytes : least;
}

void buffers_begin(Buffers* buffers, size_t size, unsigned slots, const char* kind, int members,
                   unsigned seed) {
  const size_t own_caches = (size_t)4 << 20;
  const size_t stride = (size + 64 + 63) / 64 * 64;
  size_t wanted = 0;
  if (is(kind, "memory")) {
    wanted = 4 * largest_cache() / (size_t)members;
    if (wanted < own_caches) wanted = own_caches;
  }
  while ((size_t)slots * stride < wanted) slots *= 2;
  *buffers = (Buffers){bench_memory(slots * stride), size, stride, slots, 0, seed, 0};
}

void buffers_fill(Buffers* buffers) {
  for (unsigned s = 0; s < buffers->slots; s++) {
    char* at = buffers_slot(buffers, s);
    for (size_t i = 0; i < buffers->size; i++) at[i] = (char)pattern(i, buffers->seed);
  }
}

void buffers_check(const Bench* bench, const Buffers* buffers) {
  const size_t size = buffers->size;
  const size_t end = size - bench_last_bytes(size);
  const unsigned used = buffers->number < buffers->slots ? buffers->number : buffers->slots;
  for (unsigned s = 0; s < used; s++) {
    const unsigned char* at = (const unsigned char*)buffers_slot(buffers, s);
    for (size_t i = EDGE; i < end; i++) {
      if (buffers->block && i / buffers->block % 2) continue;
      if (at[i] != pattern(i, buffers->seed))
        bench_wrong(bench, "a message: byte %zu of %zu is %u, not %u", i, size, at[i],
                    pattern(i, buffers->seed));
    }
  }
}

void buffers_end(Buffers* buffers) {
  free(buffers->base);
}

void bench_wrong_stamp(const Bench* bench, const char* at, size_t size, unsigned number) {
  unsigned first = 0, last = 0;
  const size_t edge = size < EDGE ? size : EDGE;
  memcpy(&first, at, edge);
  memcpy(&last, at + size - edge, edge);
  bench_wrong(bench, "message %u of %zu bytes begins with number %u and ends with %u", number, size,
              first, last);
}
