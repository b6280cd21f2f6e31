/* Advection in two dimensions: what a flow carries along, on a periodic square.
 *
 *   dc/dt + u(y, t) dc/dx + v(x) dc/dy = 0      u = cos(2 pi t) sin(2 pi y), v = sin(2 pi x)
 *
 * A step is split by direction: a sweep along y carries each column by itself, and then a sweep along
 * x each row. Half a sweep along y before a step and half of one after it would make the step of second
 * order (Strang). The half after a step and the half before the next one are made in one sweep; so
 * the last step is followed by half a sweep. In a sweep each cell has a slope, which a limiter keeps
 * from making new extrema (van Leer).
 *
 * Both sweeps go over the whole tile between two exchanges of borders. If the tile fits into a cache,
 * the second sweep finds it there. So more ranks than cores can save time.
 *
 *   2 2 2 2 2 2 2 2     A sweep needs two points upwind of a point and one downwind. The sweep along y
 *   2 2 2 2 2 2 2 2     also carries the columns of the halo marked 1, which the sweep along x then
 *   1 1 * * * * 1 1     needs. For them it needs the corners of the halo.
 *   1 1 * * * * 1 1
 *   2 2 2 2 2 2 2 2
 *   2 2 2 2 2 2 2 2
 *
 * Each step is as long as the flow allows (Courant, Friedrichs and Lewy): no sweep may carry anything
 * farther than the distance of two points, so the ranks agree on the highest speed (MPI_Allreduce).
 *
 *   mpicc -O3 -o advection advection.c ../grid/grid.c -I../grid -lm
 *   mpiexec -n 16 ./advection -n 1024 -steps 500 -o picture.pgm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

static Options options = {2048, 2048, 400, 1, NULL, BLOCKS};

enum { HALO = 2 }; /* points on each side of a point that a sweep may need */
enum {
  STRIP = 512
}; /* columns that a sweep along y carries together; its lines fit the first cache */

/* Part of the longest stable step. The rest is for a flow that becomes faster within the step. */
static const double kCourant = 0.9;
static const double pi = 3.14159265358979323846;

static double now;     /* the time */
static double last_dt; /* of the step before; half of it is still to be carried along y */
static double* field;  /* the concentration c */
static double *u, *v;  /* the speeds, u of a row as it is at time 0, v of a column */
static double fastest_u, fastest_v;
static double* carries; /* of a row: what crosses the border behind each point */

/* Two squares, one with a hole; zero elsewhere. */
static double concentration(double x, double y) {
  const int big = fabs(x - 0.35) < 0.2 && fabs(y - 0.4) < 0.2;
  const int hole = fabs(x - 0.35) < 0.08 && fabs(y - 0.4) < 0.08;
  const int small = fabs(x - 0.75) < 0.12 && fabs(y - 0.7) < 0.12;
  return big && !hole ? 1 : small ? 0.6 : 0;
}

/* A number for each of `points` points and of the halo at both ends. Returns where point 0 is. */
static double* line(int points) {
  double* values = calloc((size_t)(points + 2 * HALO), sizeof *values);
  if (!values) MPI_Abort(MPI_COMM_WORLD, 1);
  return values + HALO;
}

/* The speed at point `i` of `points`. A point of the halo has exactly the speed of its original. */
static double speed(int i, int points) {
  return sin(2 * pi * ((i + points) % points) / points);
}

static void begin(void) {
  field = grid_field();
  u = line(height);
  v = line(width);
  carries = line(width);
  for (int y = 0; y < height; y++) {
    u[y] = speed(first_y + y, ny);
    fastest_u = fmax(fastest_u, fabs(u[y]));
  }
  for (int x = -HALO; x < width + HALO; x++) {
    v[x] = speed(first_x + x, nx);
    fastest_v = fmax(fastest_v, fabs(v[x]));
  }
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      field[at(x, y)] = concentration((double)(first_x + x) / nx, (double)(first_y + y) / ny);
    }
  }
}

/* The highest |u| nx and |v| ny of all points: how many points a second. */
static double highest_speed(double swell) {
  double highest = fmax(nx * fabs(swell) * fastest_u, ny * fastest_v);
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return highest;
}

/* The slope in a cell: the harmonic mean of the slopes on both sides, or 0 at an extremum. Written
 * without a condition, for vector instructions; the last number keeps 0 / 0 away. */
static inline double limited(double before, double behind) {
  return (before * fabs(behind) + fabs(before) * behind) / (fabs(before) + fabs(behind) + 1e-300);
}

/* What crosses the border between two points on average, while the flow goes on by `part` of their
 * distance. `middle` is the one that it comes from, `first` and `last` are beside that, in their order
 * along the line. */
static inline double carried(double first, double middle, double last, double part) {
  return middle + (copysign(0.5, part) - 0.5 * part) * limited(middle - first, last - middle);
}

/* Where the columns from `from` on end that have one direction and are carried together. */
static int end_of_strip(int from) {
  int to = from + 1;
  while (to < width + HALO && to < from + STRIP && (v[to] > 0) == (v[from] > 0)) to++;
  return to;
}

/* In place: `above` keeps the row above as it was, and a line of `borders` what crosses the border to
 * it. The first row is one of the halo, for what crosses the border between it and row 0. */
static void sweep_strip(int from, int to, double dt) {
  static double above[STRIP], parts[STRIP], borders[2][STRIP];
  const int count = to - from, down = v[from] > 0;
  for (int x = 0; x < count; x++) parts[x] = dt * ny * v[from + x];
  memcpy(above, &field[at(from, -2)], (size_t)count * sizeof *above);
  for (int y = -1; y < height; y++) {
    double* restrict row = &field[at(from, y)];
    double* restrict in = borders[y & 1], * restrict out = borders[~y & 1];
    const double* first = down ? above : row;
    const double* middle = down ? row : &field[at(from, y + 1)];
    const double* last = &field[at(from, down ? y + 1 : y + 2)];
    for (int x = 0; x < count; x++) out[x] = carried(first[x], middle[x], last[x], parts[x]);
    memcpy(above, row, (size_t)count * sizeof *above);
    for (int x = 0; x < count; x++) row[x] -= parts[x] * (out[x] - in[x]);
  }
}

static void sweep_along_y(double dt) {
  for (int from = -HALO, to; from < width + HALO; from = to) {
    to = end_of_strip(from);
    sweep_strip(from, to, dt);
  }
}

/* In place. A row has one speed. */
static void sweep_along_x(double dt) {
  for (int y = 0; y < height; y++) {
    const double part = dt * nx * u[y];
    double* restrict row = &field[at(0, y)];
    double* restrict out = carries;
    const double* middle = part > 0 ? row : row + 1;
    for (int x = -1; x < width; x++) {
      out[x] = carried(middle[x - 1], middle[x], middle[x + 1], part);
    }
    for (int x = 0; x < width; x++) row[x] -= part * (out[x] - out[x - 1]);
  }
}

static void step(void) {
  const double dt = fmin(options.dt, kCourant / highest_speed(cos(2 * pi * now)));
  grid_exchange_with_corners(field);
  sweep_along_y((last_dt + dt) / 2);
  sweep_along_x(dt * cos(2 * pi * (now + dt / 2)));
  now += dt;
  last_dt = dt;
}

/* What the last step still lacks. */
static void end_last_step(void) {
  grid_exchange_with_corners(field);
  sweep_along_y(last_dt / 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  grid_options(argc, argv, &options);
  grid_create(&options, 1, HALO);
  begin();

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < options.steps; i++) step();
  end_last_step();
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
  free(u - HALO);
  free(v - HALO);
  free(carries - HALO);
  grid_free();
  MPI_Finalize();
  return 0;
}
