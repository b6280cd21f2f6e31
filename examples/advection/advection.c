/* Advection in two dimensions: what a flow carries along, on a periodic square.
 *
 *   dc/dt + u(y, t) dc/dx + v(x) dc/dy = 0      u = cos(2 pi t) sin(2 pi y), v = sin(2 pi x)
 *
 * First-order upwind differences in space, explicit Euler steps in time. Each step is as long as the
 * flow allows (Courant, Friedrichs and Lewy): nothing may travel farther than a part of the distance
 * of two points, so the ranks agree on the highest speed of all (MPI_Allreduce). Then it needs the
 * neighbours' border points of the step before.
 *
 *   mpicc -O3 -o advection advection.c ../grid/grid.c -I../grid -lm
 *   mpiexec -n 16 ./advection -n 1024 -steps 500 -o picture.pgm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grid.h"

static Options options = {2048, 2048, 1000, 1, NULL, BLOCKS};

static const double kCourant = 0.9; /* part of the longest stable step */
static const double pi = 3.14159265358979323846;

static double now;           /* the time */
static double *field, *next; /* the concentration c */
static double *u, *v;        /* the speeds, u of a row as it is at time 0, v of a column */
static double *rise, *fall;  /* dt / h of y times the positive and the negative part of v */

/* Two squares, one with a hole; zero elsewhere. */
static double concentration(double x, double y) {
  const int big = fabs(x - 0.35) < 0.2 && fabs(y - 0.4) < 0.2;
  const int hole = fabs(x - 0.35) < 0.08 && fabs(y - 0.4) < 0.08;
  const int small = fabs(x - 0.75) < 0.12 && fabs(y - 0.7) < 0.12;
  return big && !hole ? 1 : small ? 0.6 : 0;
}

static double* line(int points) {
  double* values = calloc((size_t)points, sizeof *values);
  if (!values) MPI_Abort(MPI_COMM_WORLD, 1);
  return values;
}

static void begin(void) {
  field = grid_field();
  next = grid_field();
  u = line(height);
  v = line(width);
  rise = line(width);
  fall = line(width);
  for (int y = 0; y < height; y++) u[y] = sin(2 * pi * (first_y + y) / ny);
  for (int x = 0; x < width; x++) {
    v[x] = sin(2 * pi * (first_x + x) / nx);
    for (int y = 0; y < height; y++) {
      field[at(x, y)] = concentration((double)(first_x + x) / nx, (double)(first_y + y) / ny);
    }
  }
}

/* The highest |u| nx + |v| ny of all points: how many of them a second. The maximum of a tile's is that of
 * its rows plus that of its columns, since either depends on one coordinate. */
static double highest_speed(double swell) {
  double of_rows = 0, of_columns = 0;
  for (int y = 0; y < height; y++) of_rows = fmax(of_rows, fabs(swell * u[y]));
  for (int x = 0; x < width; x++) of_columns = fmax(of_columns, fabs(v[x]));
  double speed = nx * of_rows + ny * of_columns;
  MPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return speed;
}

static void step(void) {
  const double swell = cos(2 * pi * now);
  const double dt = fmin(options.dt, kCourant / highest_speed(swell));
  for (int x = 0; x < width; x++) {
    rise[x] = dt * ny * fmax(v[x], 0);
    fall[x] = dt * ny * fmin(v[x], 0);
  }
  grid_exchange(field);
  for (int y = 0; y < height; y++) {
    const double moved = dt * nx * swell * u[y];
    const double east = fmax(moved, 0), west = fmin(moved, 0);
    const double* restrict c = &field[at(0, y)];
    const double* restrict up = &field[at(0, y - 1)];
    const double* restrict down = &field[at(0, y + 1)];
    double* restrict out = &next[at(0, y)];
    for (int x = 0; x < width; x++) {
      out[x] = c[x] - east * (c[x] - c[x - 1]) - west * (c[x + 1] - c[x]) -
               rise[x] * (c[x] - up[x]) - fall[x] * (down[x] - c[x]);
    }
  }
  double* last = field;
  field = next;
  next = last;
  now += dt;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  grid_options(argc, argv, &options);
  grid_create(&options, 1);
  begin();

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < options.steps; i++) step();
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;

  const double checksum = grid_checksum(field);
  const long memory = grid_memory();
  if (rank == 0) {
    printf("advection: %d ranks, %d x %d points, %d steps to time %.6f\n", size, nx, ny,
           options.steps, now);
    printf("seconds %.6f\nchecksum %.10e\nmemory_kib %ld\n", seconds, checksum, memory);
  }
  if (options.picture) grid_write(field, options.picture);

  free(field);
  free(next);
  free(u);
  free(v);
  free(rise);
  free(fall);
  grid_free();
  MPI_Finalize();
  return 0;
}
