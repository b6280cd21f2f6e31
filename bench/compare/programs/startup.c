/* startup [memory]: starts and ends. With `memory`, also says what the job's processes use (PSS)
 * after MPI_Init and a barrier. */
#include "grid.h"
#include "measure.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) {
    const long memory = grid_memory();
    if (rank == 0) printf("RESULT kib_a_rank %.9g\n", (double)memory / size);
  }
  MPI_Finalize();
  return 0;
}
