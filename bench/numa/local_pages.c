// local_pages.c — the share of ranks' pages that lie on the NUMA node of their CPU, before and after all ranks have moved to another node.
//
//   mpiexec -n 16 [--malloc mimalloc] local_pages
//
// The memory is that of the advection of [mpc] (docs/papers.md): two fields of one size whatever the number of ranks, and short lines, which all have
// been allocated, given to the next rank, freed by it and allocated again. Each rank asks the kernel where the pages of its own blocks are.
#define _GNU_SOURCE
#include <heddle/mpix.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  kField = 24 << 20,
  kLines = 300,
  kLine = 2048,
  kBlocks = kLines + 2,
  kPage = 4096,
  kRounds = 3
};

static int rank, ranks;
static char* blocks[kBlocks];

static size_t bytes_of(int block) {
  return block < kLines ? kLine : (size_t)kField / (size_t)ranks;
}

static void allocate(void) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(bytes_of(i));
    if (blocks[i] == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(blocks[i], rank, bytes_of(i));
  }
}

// The next rank frees them.
static void give_away(void) {
  static char* theirs[kBlocks];
  MPI_Sendrecv(blocks, sizeof blocks, MPI_BYTE, (rank + 1) % ranks, 0, theirs, sizeof theirs,
               MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kBlocks; i++) free(theirs[i]);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Adds the pages of a block that are there, and those of them on the caller's node.
static void look_at(const char* block, size_t bytes, int node, long* counts) {
  void* pages[512];
  int found[512];
  uintptr_t page = (uintptr_t)block & ~(uintptr_t)(kPage - 1);
  while (page < (uintptr_t)block + bytes) {
    int count = 0;
    for (; count < 512 && page < (uintptr_t)block + bytes; page += kPage)
      pages[count++] = (void*)page;
    if (syscall(SYS_move_pages, 0, (long)count, pages, NULL, found, 0) != 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < count; i++) {
      counts[0] += found[i] == node;
      counts[1] += found[i] >= 0;
    }
  }
}

// Of the calling rank, in percent of pages.
static void look(long* counts) {
  unsigned cpu, node;
  getcpu(&cpu, &node);
  counts[0] = counts[1] = 0;
  for (int i = 0; i < kBlocks; i++) look_at(blocks[i], bytes_of(i), (int)node, counts);
}

// Pages follow for a while; as many looks as this without a change are its end.
static void await_rest(long* counts) {
  long before = -1;
  look(counts);
  for (int same = 0; same < 20 && counts[0] < counts[1]; same++) {
    if (counts[0] != before) same = 0;
    before = counts[0];
    usleep(50000);
    look(counts);
  }
}

static double share_of_all(const long* mine) {
  long all[2];
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return 100.0 * (double)all[0] / (double)all[1];
}

int main(int argc, char** argv) {
  long counts[2];
  int worker, workers;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < kRounds; round++) {
    allocate();
    give_away();
  }
  allocate();
  MPI_Barrier(MPI_COMM_WORLD);
  look(counts);
  const double before = share_of_all(counts);
  // Half of the workers further is another node, since workers are in the order of nodes.
  MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers);
  MPIX_Rank_migrate(MPI_COMM_WORLD, rank, (worker + workers / 2) % workers);
  sched_yield();
  MPI_Barrier(MPI_COMM_WORLD);
  await_rest(counts);
  const double after = share_of_all(counts);
  if (rank == 0) printf("RESULT %.1f %.1f\n", before, after);
  MPI_Finalize();
  return 0;
}
