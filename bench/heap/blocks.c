/* What a malloc and a free cost where many strands allocate: with heaps of ranks, and beside other allocators (./dev bench heap).
 *
 *   mpicc -O2 -o blocks blocks.c                      mpiexec -n 64 ./blocks WHOSE THREADS ROUNDS
 *   cc -O2 -pthread -DPLAIN -o blocks_plain blocks.c  ./blocks_plain WHOSE THREADS ROUNDS RANKS: kernel threads of one process
 *
 * WHOSE: own      a strand frees what it has allocated, in any order, while others of its blocks live
 *        ranks    what a rank has allocated, the next one frees, as with buffers that are handed over
 *        threads  the same among the threads of a rank
 *
 * Blocks have 16 to 511 bytes, one in 64 up to 8 KiB. Printed: nanoseconds of processor time for a malloc and a free, the mean of
 * all strands. Waits at the barriers between the two are not counted. */
#define _GNU_SOURCE
#ifndef PLAIN
#include <mpi.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kBlocks = 2000, kMostRanks = 1024, kMostThreads = 64 };

typedef struct {
  int thread;
  int rank;
  uint64_t random;
  double seconds;
  void* blocks[kBlocks];
} Strand;

static const char* whose;
static int ranks = 1, threads, rounds;
static Strand* strands[kMostRanks]; /* of each rank its threads */
static pthread_barrier_t barrier;   /* of the threads of a rank; PLAIN: of all */

static void meet(const Strand* strand) {
  pthread_barrier_wait(&barrier);
#ifndef PLAIN
  if (strand->thread == 0) MPI_Barrier(MPI_COMM_WORLD);
  pthread_barrier_wait(&barrier);
#endif
  (void)strand;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint32_t next_random(Strand* strand) {
  strand->random = strand->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(strand->random >> 33);
}

static void* new_block(Strand* strand) {
  const uint32_t random = next_random(strand);
  const size_t size = random % 64 == 0 ? 1024 + random / 64 % 7168 : 16 + random / 64 % 496;
  char* const block = malloc(size);
  if (block == NULL) exit(3);
  memset(block, strand->thread, 16);
  block[size - 1] = 1;
  return block;
}

/* One after the other, but not in the order in which they came. */
static void free_blocks(void** blocks) {
  enum { kStep = 7 }; /* has no divisor in common with kBlocks */
  for (int i = 0, at = 0; i < kBlocks; ++i, at = (at + kStep) % kBlocks) free(blocks[at]);
}

static void replace_own(Strand* strand) {
  for (int i = 0; i < kBlocks; ++i) {
    void** const block = &strand->blocks[next_random(strand) % kBlocks];
    free(*block);
    *block = new_block(strand);
  }
}

static Strand* giver_of(const Strand* strand) {
  if (strcmp(whose, "ranks") == 0)
    return &strands[(strand->rank + ranks - 1) % ranks][strand->thread];
  return &strands[strand->rank][(strand->thread + threads - 1) % threads];
}

static void* run(void* argument) {
  Strand* const strand = argument;
  const int own = strcmp(whose, "own") == 0;
  Strand* const giver = giver_of(strand);
  for (int round = -1; round < rounds; ++round) { /* the first one is not counted */
    meet(strand);
    double began = now(), seconds = 0;
    if (own && round >= 0) {
      replace_own(strand);
    } else {
      for (int i = 0; i < kBlocks; ++i) strand->blocks[i] = new_block(strand);
    }
    seconds += now() - began;
    if (!own) {
      meet(strand);
      began = now();
      free_blocks(giver->blocks);
      seconds += now() - began;
    }
    if (round >= 0) strand->seconds += seconds;
  }
  if (own) free_blocks(strand->blocks);
  return NULL;
}

/* The strands of `count` ranks in this process, the first of which is `first`. */
static double run_all(int first, int count) {
  static pthread_t started[kMostRanks * kMostThreads];
  double seconds = 0;
  pthread_barrier_init(&barrier, NULL, (unsigned)(count * threads));
  for (int i = 1; i < count * threads; ++i)
    if (pthread_create(&started[i], NULL, run, &strands[first + i / threads][i % threads]) != 0)
      exit(4);
  run(&strands[first][0]);
  for (int i = 1; i < count * threads; ++i) pthread_join(started[i], NULL);
  for (int i = 0; i < count * threads; ++i)
    seconds += strands[first + i / threads][i % threads].seconds;
  return seconds;
}

static Strand* new_strands(int rank) {
  Strand* const made = calloc((size_t)threads, sizeof *made);
  for (int i = 0; i < threads; ++i) {
    made[i].thread = i;
    made[i].rank = rank;
    made[i].random = (uint64_t)(rank * kMostThreads + i);
  }
  return made;
}

int main(int argc, char** argv) {
#ifdef PLAIN
  if (argc != 5) return fprintf(stderr, "blocks_plain WHOSE THREADS ROUNDS RANKS\n"), 2;
  ranks = atoi(argv[4]);
#else
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return fprintf(stderr, "blocks WHOSE THREADS ROUNDS\n"), 2;
#endif
  whose = argv[1];
  threads = atoi(argv[2]);
  rounds = atoi(argv[3]);
  if (threads < 1 || threads > kMostThreads || ranks < 1 || ranks > kMostRanks || rounds < 1)
    return 2;
  double seconds = 0;
#ifdef PLAIN
  for (int i = 0; i < ranks; ++i) strands[i] = new_strands(i);
  seconds = run_all(0, ranks);
  const int rank = 0;
#else
  /* All ranks are threads of one process, so an address of one is an address of all. */
  Strand* const mine = new_strands(rank);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, strands, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  const double own = run_all(rank, 1);
  MPI_Reduce(&own, &seconds, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  if (rank == 0) printf("%.2f\n", 1e9 * seconds / ((double)ranks * threads * rounds * kBlocks));
  return 0;
}
