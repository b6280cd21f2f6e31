/* Aligned blocks against the contract of each function, over sizes and alignments. Prints "ok" for each rank. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong;

static void expect(int holds, const char* what, size_t alignment, size_t bytes, const void* block) {
  if (holds) return;
  if (wrong++ < 5) printf("%s, alignment %zu, %zu bytes: %p\n", what, alignment, bytes, block);
}

static void* judge(void* block, const char* what, size_t alignment, size_t bytes) {
  expect(block != NULL && (uintptr_t)block % alignment == 0, what, alignment, bytes, block);
  if (block != NULL) memset(block, 1, bytes);
  return block;
}

static void* by_posix(size_t alignment, size_t bytes) {
  void* block = NULL;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}

int main(int argc, char** argv) {
  static const size_t sizes[] = {1,      7,     8,     16,    24,     31,      48,
                                 64,     96,    100,   128,   129,    160,     192,
                                 255,    256,   257,   320,   384,    512,     513,
                                 640,    768,   896,   1000,  1023,   1024,    1025,
                                 1280,   1536,  2048,  2560,  3000,   4096,    5000,
                                 8192,   10240, 16384, 65536, 100000, 1 << 20, (1 << 20) + 1,
                                 3 << 20};
  enum { kSizes = sizeof sizes / sizeof *sizes };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  MPI_Init(&argc, &argv);
  for (size_t alignment = sizeof(void*); alignment <= (size_t)4 << 20; alignment *= 2) {
    for (int i = 0; i < kSizes; i++) {
      const size_t bytes = sizes[i], whole = (bytes + alignment - 1) / alignment * alignment;
      void* const blocks[] = {
          judge(by_posix(alignment, bytes), "posix_memalign", alignment, bytes),
          judge(memalign(alignment, bytes), "memalign", alignment, bytes),
          judge(aligned_alloc(alignment, whole), "aligned_alloc", alignment, whole),
          /* several of a size: the first of a page may be aligned by chance */
          judge(by_posix(alignment, bytes), "posix_memalign", alignment, bytes),
          judge(aligned_alloc(alignment, whole), "aligned_alloc", alignment, whole)};
      void* const grown = realloc(blocks[0], bytes + 1);
      expect(grown != NULL && ((char*)grown)[bytes - 1] == 1, "realloc", alignment, bytes, grown);
      free(grown);
      for (int k = 1; k < 5; k++) free(blocks[k]);
    }
  }
  for (int i = 0; i < kSizes; i++) {
    const size_t whole = (sizes[i] + page - 1) / page * page;
    void* const pages = judge(valloc(sizes[i]), "valloc", page, sizes[i]);
    void* const whole_pages = judge(pvalloc(sizes[i]), "pvalloc", page, whole);
    expect(malloc_usable_size(whole_pages) >= whole, "pvalloc: whole pages", page, sizes[i],
           whole_pages);
    free(pages);
    free(whole_pages);
  }
  static const size_t refused[] = {0, 1, 3, 4, 12, 24, 100, 384};
  for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
    void* block = &wrong;
    expect(posix_memalign(&block, refused[i], 64) == EINVAL && block == &wrong,
           "posix_memalign: EINVAL", refused[i], 64, block);
  }
  printf(wrong == 0 ? "ok\n" : "%d are wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
