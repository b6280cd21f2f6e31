// heaps.c — what ranks and their threads allocate lies in a mapping of the rank alone, and others may free it.
//   heaps own       every block of a rank lies in one mapping, libc's and MPI's for it too, and other ranks' in another
//   heaps others    blocks are freed by the next rank; the owner has the memory again, so a hundred rounds take what three took
//   heaps threads   threads that come and go allocate in their rank's mapping, and free what ended ones have left
//   heaps shared    all blocks lie in one mapping or more, no matter which (glibc's malloc): prints whether ranks are apart
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 5000 };

static int me, ranks;

static void must(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: not so: %s\n", me, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct mapping {
  unsigned long low, high;
};

// By /proc, which knows nothing of heaps.
static struct mapping mapping_of(const void* block) {
  struct mapping found = {0, 0};
  char line[600];
  FILE* maps = fopen("/proc/self/maps", "r");
  must(maps != NULL, "/proc/self/maps can be read");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long low, high;
    if (sscanf(line, "%lx-%lx", &low, &high) != 2) continue;
    if ((unsigned long)block >= low && (unsigned long)block < high) found = (struct mapping){low, high};
  }
  fclose(maps);
  return found;
}

static int lies_in(struct mapping mapping, const void* block) {
  return (unsigned long)block >= mapping.low && (unsigned long)block < mapping.high;
}

static size_t size_of(int i) {
  return i % 100 == 0 ? 300000 : 1 + (size_t)(i * 37) % 3000;
}

static void fill(char** blocks, struct mapping mine) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(size_of(i));
    must(blocks[i] != NULL, "there is memory");
    memset(blocks[i], me + 1, size_of(i));
    must(lies_in(mine, blocks[i]), "malloc gives a block of the rank's mapping");
  }
}

static void own(void) {
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  static char* blocks[kBlocks];
  fill(blocks, mine);
  for (int i = 0; i < kBlocks; i += 7) {
    blocks[i] = realloc(blocks[i], 2 * size_of(i));
    must(lies_in(mine, blocks[i]) && blocks[i][size_of(i) - 1] == (char)(me + 1), "realloc, too");
    must(malloc_usable_size(blocks[i]) >= 2 * size_of(i), "malloc_usable_size knows of it");
  }
  for (int i = 0; i < kBlocks; i++) free(blocks[i]);
  char* text = strdup("libc's strdup");
  must(lies_in(mine, text), "libc's strdup, too");
  free(text);
  void* aligned = NULL;
  must(posix_memalign(&aligned, 4096, 10000) == 0 && lies_in(mine, aligned) && (size_t)aligned % 4096 == 0, "aligned blocks, too");
  free(aligned);
  MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &aligned);
  must(lies_in(mine, aligned), "MPI_Alloc_mem, too");
  MPI_Free_mem(aligned);
  unsigned long* all = malloc((size_t)ranks * sizeof *all);
  MPI_Allgather(&mine.low, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) must(i == me || all[i] != mine.low, "other ranks have other mappings");
  free(all);
  free(first);
}

// Kilobytes of the mapping that are there.
static long resident(struct mapping mapping) {
  char line[600];
  int inside = 0;
  long kilobytes = 0, value;
  FILE* maps = fopen("/proc/self/smaps", "r");
  must(maps != NULL, "/proc/self/smaps can be read");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long low, high;
    if (sscanf(line, "%lx-%lx ", &low, &high) == 2) inside = low == mapping.low;
    if (inside && sscanf(line, "Rss: %ld", &value) == 1) kilobytes = value;
  }
  fclose(maps);
  return kilobytes;
}

static void others(void) {
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  static char* blocks[kBlocks];
  static char* theirs[kBlocks];
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  long early = 0;
  for (int round = 0; round < 100; round++) {
    fill(blocks, mine);
    MPI_Sendrecv(blocks, sizeof blocks, MPI_BYTE, next, 0, theirs, sizeof theirs, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < kBlocks; i++) {
      must(theirs[i][0] == (char)(before + 1) && theirs[i][size_of(i) - 1] == (char)(before + 1), "blocks are whole");
      free(theirs[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 2) early = resident(mine);
  }
  must(early > 0 && resident(mine) <= 2 * early, "the owner has its memory again");
  free(first);
}

struct work {
  struct mapping mine;
  char** blocks;
};

static void* thread(void* argument) {
  struct work* work = argument;
  if (work->blocks[0] != NULL)  // an ended thread's
    for (int i = 0; i < kBlocks; i++) free(work->blocks[i]);
  fill(work->blocks, work->mine);
  return NULL;
}

static void threads(void) {
  char* first = malloc(100);
  static char* blocks[3][kBlocks];
  struct work work[3];
  long early = 0;
  for (int k = 0; k < 3; k++) work[k] = (struct work){mapping_of(first), blocks[k]};
  for (int round = 0; round < 30; round++) {
    pthread_t ids[3];
    for (int k = 0; k < 3; k++) must(pthread_create(&ids[k], NULL, thread, &work[k]) == 0, "a thread begins");
    for (int k = 0; k < 3; k++) pthread_join(ids[k], NULL);
    if (round == 2) early = resident(work[0].mine);
  }
  must(early > 0 && resident(work[0].mine) <= 3 * early, "later threads use what ended ones left");
  free(first);
}

static void shared(void) {
  char* first = malloc(100);
  unsigned long mine = mapping_of(first).low, others;
  MPI_Bcast((others = mine, &others), 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  int apart = mine != others, all;
  MPI_Reduce(&apart, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) printf("%d ranks apart from rank 0\n", all);
  free(first);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "own") == 0) own();
  if (strcmp(what, "others") == 0) others();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "shared") == 0) shared();
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("%s done\n", what);
  MPI_Finalize();
  return 0;
}
