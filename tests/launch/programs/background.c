/* background: what a rank has started goes on while it computes. One rank after the other starts collectives, and then looks at
 * shared memory alone until all others have waited for them; rank 0 says "ok". The second of each pair can end only when the rank that
 * computes has answered. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kRounds = 10 };
static int rank, size;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Other jobs may run in this folder, so the file has rank 0's process in its name. */
static atomic_int* share(void) {
  char name[64] = "";
  int file = -1;
  if (rank == 0) {
    snprintf(name, sizeof name, "background.%d", (int)getpid());
    file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(file >= 0 && ftruncate(file, sizeof(int)) == 0, "the page");
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) file = open(name, O_RDWR);
  void* page = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(page != MAP_FAILED, "mmap");
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  return page;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  atomic_int* have_waited = share();
  for (int round = 0; round < kRounds; round++) {
    const int computes = round % size, asks = (computes + 1) % size;
    int question = rank == asks ? 11 : 0, answer = rank == computes ? 22 : 0, sum = 0;
    MPI_Request requests[3];
    MPI_Ibcast(&question, 1, MPI_INT, asks, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&answer, 1, MPI_INT, computes, MPI_COMM_WORLD, &requests[1]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    if (rank == computes) {
      while (atomic_load(have_waited) < (round + 1) * (size - 1)) sched_yield();
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    if (rank != computes) atomic_fetch_add(have_waited, 1);
    check(question == 11 && answer == 22 && sum == size * (size - 1) / 2, "a wrong result");
  }
  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
