/* Advection in two dimensions: what a flow carries along, on a periodic square.
 *
 *   dc/dt + u(y) dc/dx + v(x) dc/dy = 0      u(y) = sin(2 pi y), v(x) = sin(2 pi x)
 *
 * First-order upwind differences in space, explicit Euler steps in time. Each step needs the
 * neighbours' border points of the step before, and nothing else.
 *
 *   mpicc -O3 -o advection advection.c ../grid/grid.c -I../grid -lm
 *   mpiexec -n 16 ./advection -n 1024 -steps 500 -o picture.pgm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grid.h"

static Options options = {2048, 1000, 2e-4, NULL};

static double dt_over_h;    /* stable up to 1 / (max u + max v), 0.5 */
static double *now, *next;  /* the concentration c */
static double *rise, *fall; /* dt / h times the positive and the negative part of v, a column */
static const double pi = 3.14159265358979323846;

/* Two squares, one with a hole; zero elsewhere. */
static double concentration(double x, double y) {
  const int big = fabs(x - 0.35) < 0.2 && fabs(y - 0.4) < 0.2;
  const int hole = fabs(x - 0.35) < 0.08 && fabs(y - 0.4) < 0.08;
  const int small = fabs(x - 0.75) < 0.12 && fabs(y - 0.7) < 0.12;
  return big && !hole ? 1 : small ? 0.6 : 0;
}

static void begin(void) {
  now = grid_field();
  next = grid_field();
  rise = calloc((size_t)width, sizeof *rise);
  fall = calloc((size_t)width, sizeof *fall);
  if (!rise || !fall) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int x = 0; x < width; x++) {
    const double v = sin(2 * pi * (first_x + x) / n);
    rise[x] = dt_over_h * fmax(v, 0);
    fall[x] = dt_over_h * fmin(v, 0);
    for (int y = 0; y < height; y++) {
      now[at(x, y)] = concentration((double)(first_x + x) / n, (double)(first_y + y) / n);
    }
  }
}

static void step(void) {
  grid_exchange(now);
  for (int y = 0; y < height; y++) {
    const double u = dt_over_h * sin(2 * pi * (first_y + y) / n);
    const double east = fmax(u, 0), west = fmin(u, 0);
    const double* restrict c = &now[at(0, y)];
    const double* restrict up = &now[at(0, y - 1)];
    const double* restrict down = &now[at(0, y + 1)];
    double* restrict out = &next[at(0, y)];
    for (int x = 0; x < width; x++) {
      out[x] = c[x] - east * (c[x] - c[x - 1]) - west * (c[x + 1] - c[x]) -
               rise[x] * (c[x] - up[x]) - fall[x] * (down[x] - c[x]);
    }
  }
  double* last = now;
  now = next;
  next = last;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  grid_options(argc, argv, &options);
  grid_create(options.points, 1);
  dt_over_h = options.dt * n;
  begin();

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < options.steps; i++) step();
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;

  const double checksum = grid_checksum(now);
  const long memory = grid_memory();
  if (rank == 0) {
    printf("advection: %d ranks, %d x %d points, %d steps\n", size, n, n, options.steps);
    printf("seconds %.6f\nchecksum %.10e\nmemory_kib %ld\n", seconds, checksum, memory);
  }
  if (options.picture) grid_write(now, options.picture);

  free(now);
  free(next);
  free(rise);
  free(fall);
  grid_free();
  MPI_Finalize();
  return 0;
}
