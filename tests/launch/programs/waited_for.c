// Rank 0 computes for 300 ms of its processor's time, twice, and the others wait for it in a barrier. With an argument it
// goes to worker 1 and back, 5 times, and computes for 1 ms each time.

#include <heddle/mpix.h>
#include <mpi.h>
#include <time.h>

static double used(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int moves = argc > 1;
  for (int i = 0; i < (moves ? 10 : 2); ++i) {
    if (rank == 0 && moves) MPIX_Rank_migrate(MPI_COMM_WORLD, 0, i % 2 == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double end = used() + (moves ? 0.001 : 0.3);
    while (rank == 0 && used() < end) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
