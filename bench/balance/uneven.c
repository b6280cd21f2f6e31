/* Ranks with uneven loads that meet after each step: what mpiexec --balance gains (./dev bench balance).
 *
 *   mpicc -O2 -o uneven uneven.c
 *   mpiexec -n 16 --balance ./uneven LOADS STEPS MICROSECONDS
 *
 * LOADS: one     rank 0 has 4 units of work in each step, all others 1
 *        even    the same sum, but all ranks have the same
 *        moving  a quarter of the ranks, which are neighbours, have 8 units, all others 1: as in a mesh that is finer around a front.
 *                The front goes on by half its width eight times in a run
 * MICROSECONDS: of a unit, alone on a core.
 *
 * After its work a rank exchanges a few numbers with its neighbours, and all ranks sum up one, as a time step does.
 * Printed: the seconds of all steps; and the work of the busiest worker, summed over the steps, relative to the same if work were spread
 * evenly over workers. The second one does not depend on what else the machine does. */
#include <heddle/mpix.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double sink;
static int rank, size;

static void turns(long count) {
  double x = sink;
  for (long i = 0; i < count; ++i) x = x * 0.999 + 1;
  sink = x;
}

/* Of a microsecond: the fastest of several tries. */
static double measure_turns(void) {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const double begin = MPI_Wtime();
    turns(100000);
    const double passed = MPI_Wtime() - begin;
    if (passed < best) best = passed;
  }
  return 100000 / (best * 1e6);
}

static double units_of(int of, const char* loads, long step, long steps) {
  if (strcmp(loads, "even") == 0) return (size + 3.0) / size;
  if (strcmp(loads, "one") == 0) return of == 0 ? 4 : 1;
  const int width = size / 4 > 0 ? size / 4 : 1;
  const int front = (int)(step * 8 / steps) * (width + 1) / 2;
  return (of - front + 8 * size) % size < width ? 8 : 1;
}

/* The work of the busiest worker in this step. */
static double most_work(const char* loads, long step, long steps, double* mean) {
  double by_worker[1024] = {0}, most = 0;
  int worker = 0, workers = 1;
  *mean = 0;
  for (int of = 0; of < size; ++of) {
    MPIX_Rank_worker(MPI_COMM_WORLD, of, &worker, &workers);
    const double units = units_of(of, loads, step, steps);
    *mean += units;
    by_worker[worker] += units;
    if (by_worker[worker] > most) most = by_worker[worker];
  }
  *mean /= workers;
  return most;
}

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "uneven LOADS STEPS MICROSECONDS\n"), 2;
  const char* loads = argv[1];
  const long steps = atol(argv[2]);
  double turns_each = 0, most = 0, even = 0, mean = 0, sum = 0, halo[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) turns_each = measure_turns() * atof(argv[3]);
  MPI_Bcast(&turns_each, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const double begin = MPI_Wtime();
  for (long step = 0; step < steps; ++step) {
    if (rank == 0) {
      most += most_work(loads, step, steps, &mean);
      even += mean;
    }
    turns((long)(turns_each * units_of(rank, loads, step, steps)));
    halo[0] += 1;
    MPI_Sendrecv(&halo[0], 1, MPI_DOUBLE, right, 0, &halo[1], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&halo[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%.4f s, busiest worker %.3f of an even share\n", MPI_Wtime() - begin, most / even);
  MPI_Finalize();
  return sum == (double)size * (double)steps ? 0 : 1;
}
