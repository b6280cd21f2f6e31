/* allocating.c - a sweep that allocates in its loop: each step a rank allocates a new field and lines as an advection program does that
 * keeps nothing, computes from the old field into the new one, and frees the old one.
 *
 *   mpiexec -n 16 [--malloc mimalloc] allocating [CELLS] [STEPS]
 *
 * Cells are shared out to the ranks. Prints 'seconds N' and 'faults N': page faults of a rank in a step (getrusage).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LINES = 16, LINE = 4000 }; /* short-lived arrays of a step, and cells of one */

static double* array(size_t cells) {
  double* values = malloc(cells * sizeof *values);
  if (!values) MPI_Abort(MPI_COMM_WORLD, 1);
  return values;
}

/* Of this process. */
static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/* From `old`, which it frees, to a new field. */
static double* step(double* old, size_t cells) {
  double* lines[LINES];
  double* field = array(cells);
  for (int i = 0; i < LINES; i++) {
    lines[i] = array(LINE);
    memset(lines[i], 0, LINE * sizeof(double));
  }
  field[0] = old[0] + lines[0][0];
  for (size_t i = 1; i < cells; i++) field[i] = old[i] - 0.4 * (old[i] - old[i - 1]);
  for (int i = 0; i < LINES; i++) free(lines[i]);
  free(old);
  return field;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t cells = (size_t)(argc > 1 ? atol(argv[1]) : 4000000) / (size_t)ranks;
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  double* field = array(cells);
  for (size_t i = 0; i < cells; i++) field[i] = (double)(i % 7);
  for (int i = 0; i < 2; i++) field = step(field, cells);

  double highest = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const long before = faults();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) {
    field = step(field, cells);
    MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  const double each = (double)(faults() - before) / steps / ranks; /* of one process */
  if (rank == 0) printf("seconds %.6f\nfaults %.2f\n", seconds, each);
  free(field);
  MPI_Finalize();
  return 0;
}
