/* Each rank reads what /dev/stdin and its like have; then rank 0 reads its standard input. */
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static long bytes_of(const char* path) {
  char bytes[100];
  const int file = open(path, O_RDONLY);
  const long got = file < 0 ? -1 : read(file, bytes, sizeof bytes);
  close(file);
  return got;
}

int main(int argc, char** argv) {
  int rank;
  char bytes[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    struct stat status, null;
    struct pollfd input = {0, POLLIN, 0};
    fstat(0, &status);
    stat("/dev/null", &null);
    printf("%ld %ld %ld, %s, ready %d\n", bytes_of("/dev/stdin"), bytes_of("/dev/fd/0"),
           bytes_of("/proc/self/fd/0"), status.st_rdev == null.st_rdev ? "/dev/null" : "a file",
           poll(&input, 1, 0));
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("rank 0 got %ld\n", (long)read(0, bytes, sizeof bytes));
  MPI_Finalize();
  return 0;
}
