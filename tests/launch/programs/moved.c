/* moved: rank 1 moves to another worker than the one where it has begun, and crashes there. */
#define _GNU_SOURCE
#include <heddle/mpix.h>
#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int* volatile nowhere;

int main(int argc, char** argv) {
  int rank, worker, workers;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers);
    const long before = syscall(SYS_gettid);
    MPIX_Rank_migrate(MPI_COMM_WORLD, rank, (worker + 1) % workers);
    while (syscall(SYS_gettid) == before) sched_yield();
    *nowhere = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
