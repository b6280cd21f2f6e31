/* Heat conduction in two dimensions: a heated plate with badly conducting walls in it.
 *
 *   dT/dt = div(k grad T) + q        T = 0 on the plate's rim
 *
 * Five-point differences in space, implicit Euler in time: each step solves the linear equations
 *
 *   (1 + kE + kW + kN + kS) T  -  (kE T_E + kW T_W + kN T_N + kS T_S)  =  T_old + dt q
 *
 * with kE = dt/h^2 times the conductivity between a point and its eastern neighbour, and so on (h: the
 * distance of the two),
 * by the conjugate gradient method with a diagonal preconditioner, as Chronopoulos and Gear have
 * arranged it. Each iteration exchanges the tiles' borders and sums over all ranks once, both at its
 * end. So both its sweeps, `advance` and `multiply`, go over the tile between two exchanges: what
 * `multiply` gets from neighbours would be `scaled`, which a rank advances itself on the halo, from
 * the neighbours' `product` that it got before.
 *
 *   mpicc -O3 -fopenmp-simd -o heat heat.c ../grid/grid.c -I../grid -lm
 *   mpiexec -n 16 ./heat -n 512 -steps 5 -o picture.pgm
 *
 * With -fopenmp each rank has a team of threads, to which it deals out the rows of its tile:
 *
 *   mpicc -O3 -fopenmp -o heat_hybrid heat.c ../grid/grid.c -I../grid -lm
 *   OMP_NUM_THREADS=4 mpiexec -n 4 ./heat_hybrid -n 512 -steps 5
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grid.h"

static Options options = {1024, 1024, 3, 4e-5, NULL, BLOCKS};

static const double kTolerance = 1e-12; /* of the residual, relative to the right-hand side */

static double *temperature, *residual, *direction;
static double *scaled, *product; /* the residual times `inverse`, and the equations times that */
static double* turned;           /* the equations times `direction` */
static double *east, *south; /* dt/h^2 k between a point and its eastern and southern neighbour */
static double* inverse;      /* of the equations' diagonal */
static long iterations;

/* Two rings that hardly conduct, each with a gap. */
static double conductivity(double x, double y) {
  const double radius = hypot(x - 0.5, y - 0.5), angle = atan2(y - 0.5, x - 0.5);
  if (fabs(radius - 0.2) < 0.02 && fabs(angle) > 0.4) return 0.02;
  if (fabs(radius - 0.36) < 0.02 && fabs(angle) < 2.6) return 0.02;
  return 1;
}

static double source(double x, double y) {
  return hypot(x - 0.5, y - 0.5) < 0.08 ? 1000 : hypot(x - 0.15, y - 0.15) < 0.05 ? 600 : 0;
}

static double between(double a, double b) {
  return 2 * a * b / (a + b);
}

static void begin(void) {
  temperature = grid_field();
  residual = grid_field();
  direction = grid_field();
  scaled = grid_field();
  product = grid_field();
  turned = grid_field();
  east = grid_field();
  south = grid_field();
  inverse = grid_field();
  const double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1);
  for (int y = -1; y < height; y++) {
    for (int x = -1; x < width; x++) {
      const double px = (first_x + x + 1) * hx, py = (first_y + y + 1) * hy;
      const double k = conductivity(px, py);
      east[at(x, y)] = options.dt / (hx * hx) * between(k, conductivity(px + hx, py));
      south[at(x, y)] = options.dt / (hy * hy) * between(k, conductivity(px, py + hy));
    }
  }
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      inverse[at(x, y)] =
          1 / (1 + east[at(x, y)] + east[at(x - 1, y)] + south[at(x, y)] + south[at(x, y - 1)]);
    }
  }
  grid_exchange(inverse);
}

/* product = equations times v, whose halo is filled; returns this rank's part of (v, product). */
static double multiply(const double* v) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int y = 0; y < height; y++) {
    const size_t row = at(0, y), up = at(0, y - 1), down = at(0, y + 1);
#pragma omp simd reduction(+ : sum)
    for (int x = 0; x < width; x++) {
      const size_t i = row + (size_t)x;
      const double e = east[i], w = east[i - 1], s = south[i], u = south[up + (size_t)x];
      const double here = v[i];
      const double value = (1 + e + w + s + u) * here - e * v[i + 1] - w * v[i - 1] -
                           s * v[down + (size_t)x] - u * v[up + (size_t)x];
      product[i] = value;
      sum += here * value;
    }
  }
  return sum;
}

/* This rank's parts, then those of all. */
typedef struct {
  double rz; /* (residual, scaled) */
  double zz; /* (scaled, product) */
  double rr; /* (residual, residual); at first (right-hand side, right-hand side) */
} Sums;

/* All that an iteration hears of other ranks. */
static void end_iteration(Sums* sums) {
  grid_exchange(product);
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* residual = T_old + dt q - equations times T_old */
static Sums first_residual(void) {
  const double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1);
  grid_exchange(temperature);
  multiply(temperature);
  double rz = 0, bb = 0;
#pragma omp parallel for reduction(+ : rz, bb)
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const size_t i = at(x, y);
      const double right =
          temperature[i] + options.dt * source((first_x + x + 1) * hx, (first_y + y + 1) * hy);
      residual[i] = right - product[i];
      scaled[i] = residual[i] * inverse[i];
      rz += residual[i] * scaled[i];
      bb += right * right;
    }
  }
  grid_exchange(scaled);
  Sums sums = {rz, multiply(scaled), bb};
  end_iteration(&sums);
  return sums;
}

/* A point of the halo: what its own rank does in `advance`, but only as far as `multiply` needs it. */
static void follow(size_t i, double alpha, double beta) {
  turned[i] = product[i] + beta * turned[i];
  scaled[i] -= alpha * turned[i] * inverse[i];
}

/* The next direction, and a step along it. Leaves out Sums.zz. */
static Sums advance(double alpha, double beta) {
  double rz = 0, rr = 0;
#pragma omp parallel for reduction(+ : rz, rr)
  for (int y = 0; y < height; y++) {
    const size_t row = at(0, y);
#pragma omp simd reduction(+ : rz, rr)
    for (size_t i = row; i < row + (size_t)width; i++) {
      direction[i] = scaled[i] + beta * direction[i];
      temperature[i] += alpha * direction[i];
      turned[i] = product[i] + beta * turned[i];
      residual[i] -= alpha * turned[i];
      scaled[i] = residual[i] * inverse[i];
      rz += residual[i] * scaled[i];
      rr += residual[i] * residual[i];
    }
  }
  for (int x = 0; x < width; x++) {
    follow(at(x, -1), alpha, beta);
    follow(at(x, height), alpha, beta);
  }
  for (int y = 0; y < height; y++) {
    follow(at(-1, y), alpha, beta);
    follow(at(width, y), alpha, beta);
  }
  return (Sums){rz, 0, rr};
}

static void step(void) {
  Sums sums = first_residual();
  const double goal = sums.rr * kTolerance * kTolerance;
  double alpha = sums.rz / sums.zz, beta = 0;
  do {
    const double rz = sums.rz;
    sums = advance(alpha, beta);
    sums.zz = multiply(scaled);
    end_iteration(&sums);
    beta = sums.rz / rz;
    alpha = sums.rz / (sums.zz - beta * sums.rz / alpha);
    iterations++;
  } while (sums.rr > goal);
}

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED,
                  &provided); /* teams leave MPI to their first thread */
  grid_options(argc, argv, &options);
  grid_create(&options, 0, 1);
  begin();

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < options.steps; i++) step();
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;

  const double checksum = grid_checksum(temperature);
  const long memory = grid_memory();
  if (rank == 0) {
    printf("heat: %d ranks, %d x %d points, %d steps, %ld iterations\n", size, nx, ny,
           options.steps, iterations);
    printf("seconds %.6f\nchecksum %.10e\nmemory_kib %ld\n", seconds, checksum, memory);
  }
  if (options.picture) grid_write(temperature, options.picture);

  double* fields[] = {temperature, residual, direction, scaled, product,
                      turned,      east,     south,     inverse};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) free(fields[i]);
  grid_free();
  MPI_Finalize();
  return 0;
}
