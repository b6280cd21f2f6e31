// all_pairs: every rank sends 8 bytes to every rank, by Irecv, Isend and one Waitall, on a communicator of its own.
// Prints how long that takes, and how much memory the process has (with Heddle: all ranks of the host) after
// MPI_Init, after the exchange, after another one, and when the communicator has been freed.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double resident_mib(void) {
  long pages = 0;
  FILE* const statm = fopen("/proc/self/statm", "r");
  if (statm == NULL || fscanf(statm, "%*d %ld", &pages) != 1) pages = 0;
  if (statm != NULL) fclose(statm);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

// Seconds of it, between barriers.
static double exchange(MPI_Comm comm, int size, double* data, MPI_Request* requests) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < size; ++i) MPI_Irecv(&data[i], 1, MPI_DOUBLE, i, 0, comm, &requests[i]);
  for (int i = 0; i < size; ++i) {
    MPI_Isend(&data[size], 1, MPI_DOUBLE, i, 0, comm, &requests[size + i]);
  }
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* const data = calloc((size_t)size + 1, sizeof *data);
  MPI_Request* const requests = malloc(2 * (size_t)size * sizeof *requests);
  data[size] = rank;

  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("after MPI_Init:  %7.1f MiB\n", resident_mib());
  for (int i = 0; i < 2; ++i) {
    const double seconds = exchange(comm, size, data, requests);
    if (rank == 0) printf("exchange %d:      %7.1f MiB, %.3f s\n", i + 1, resident_mib(), seconds);
  }
  for (int i = 0; i < size; ++i) {
    if (data[i] != i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // rank 0 has printed
  MPI_Comm_free(&comm);
  free(data);
  free(requests);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("after free:      %7.1f MiB\n", resident_mib());
  MPI_Finalize();
  return 0;
}
