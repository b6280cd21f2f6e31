// Calls whose arguments a trace must show: three ranks.
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  int rank, twice[2] = {1, 2};
  double values[30] = {0};
  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  const int next = (rank + 1) % 3, last = (rank + 2) % 3;
  MPI_Bcast(values, 10, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Reduce(twice, values, 2, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
  MPI_Allreduce(twice, values, 2, MPI_INT, MPI_SUM, copy);
  MPI_Isend(values, 3, pair, next, 5, MPI_COMM_WORLD, &request);
  MPI_Recv(values + 10, 3, pair, last, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(twice, 1, MPI_INT, next, 6, twice + 1, 1, MPI_INT, last, 6, copy, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy);
  double* memory;
  MPI_Win window;
  MPI_Win_allocate(24, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Put(values, 3, MPI_DOUBLE, next, 0, 3, MPI_DOUBLE, window);
  MPI_Fetch_and_op(twice, twice + 1, MPI_INT, next, 0, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock(next, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
