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

static Options options = {2048, 2048, 1000, 1, NULL, BLOCKS};

enum { HALO = 2 }; /* points on each side of a point that a sweep may need */

/* Part of the longest stable step. The rest is for a flow that becomes faster within the step. */
static const double kCourant = 0.9;
static const double pi = 3.14159265358979323846;

static double now;              /* the time */
static double last_dt;          /* of the step before; half of it is still to be carried along y */
static double* field;           /* the concentration c */
static double *u, *v;           /* the speeds, u of a row as it is at time 0, v of a column */
static double* lines[HALO + 1]; /* rows of the field as they were before the sweep */

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
  for (int i = 0; i <= HALO; i++) lines[i] = line(width);
  for (int y = 0; y < height; y++) u[y] = speed(first_y + y, ny);
  for (int x = -HALO; x < width + HALO; x++) v[x] = speed(first_x + x, nx);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      field[at(x, y)] = concentration((double)(first_x + x) / nx, (double)(first_y + y) / ny);
    }
  }
}

/* The highest |u| nx and |v| ny of all points: how many points a second. */
static double highest_speed(double swell) {
  double highest = 0;
  for (int y = 0; y < height; y++) highest = fmax(highest, nx * fabs(swell * u[y]));
  for (int x = 0; x < width; x++) highest = fmax(highest, ny * fabs(v[x]));
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return highest;
}

/* The slope in a cell: the harmonic mean of the slopes on both sides, or 0 at an extremum. Written
 * without a condition, for vector instructions; the last number keeps 0 / 0 away. */
static inline double limited(double before, double behind) {
  return (before * fabs(behind) + fabs(before) * behind) / (fabs(before) + fabs(behind) + 1e-300);
}

/* The value at a point after the flow has gone on by `part` of the distance of two points, from
 * `farther` to `near` to `here` to `behind`. */
static inline double carried(double farther, double near, double here, double behind, double part) {
  const double rise = here - near;
  const double bend = limited(rise, behind - here) - limited(near - farther, rise);
  return here - part * (rise + 0.5 * (1 - part) * bend);
}

static size_t bytes_of_row(void) {
  return (size_t)(width + 2 * HALO) * sizeof *field;
}

/* In place: `lines` keeps the row and the two above it as they were. A row is carried as a whole, as it
 * lies in memory, each point with the speed of its column. */
static void sweep_along_y(double dt) {
  for (int i = 0; i < HALO; i++)
    memcpy(lines[i] - HALO, &field[at(-HALO, i - HALO)], bytes_of_row());
  for (int y = 0; y < height; y++) {
    double* restrict row = &field[at(0, y)];
    double* restrict old = lines[2];
    const double* restrict above = lines[1];
    const double* restrict above2 = lines[0];
    const double* restrict below = &field[at(0, y + 1)];
    const double* restrict below2 = &field[at(0, y + 2)];
    memcpy(old - HALO, row - HALO, bytes_of_row());
    for (int x = -HALO; x < width + HALO; x++) {
      const double part = dt * ny * v[x];
      const double a2 = above2[x], a = above[x], b = below[x], b2 = below2[x];
      const int down = part > 0;
      row[x] = carried(down ? a2 : b2, down ? a : b, old[x], down ? b : a, fabs(part));
    }
    double* oldest = lines[0];
    lines[0] = lines[1];
    lines[1] = lines[2];
    lines[2] = oldest;
  }
}

/* In place: lines[0] keeps the row as it was. A row has one speed. */
static void sweep_along_x(double dt) {
  double* restrict old = lines[0];
  for (int y = 0; y < height; y++) {
    double* restrict row = &field[at(0, y)];
    const double part = dt * nx * u[y];
    memcpy(old - HALO, row - HALO, bytes_of_row());
    if (part > 0) {
      for (int x = 0; x < width; x++) {
        row[x] = carried(old[x - 2], old[x - 1], old[x], old[x + 1], part);
      }
    } else {
      for (int x = 0; x < width; x++) {
        row[x] = carried(old[x + 2], old[x + 1], old[x], old[x - 1], -part);
      }
    }
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
  for (int i = 0; i <= HALO; i++) free(lines[i] - HALO);
  grid_free();
  MPI_Finalize();
  return 0;
}
