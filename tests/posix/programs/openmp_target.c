/* Regions for devices, which run on the host; prints what each has computed. With -DALONE a plain program of gcc and libgomp,
   whose output is the judge. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef ALONE
#include <mpi.h>
#endif

static void deferred(void) {
  int w = 0, v = 0, u = 0, from_task = 0;
#pragma omp target nowait map(tofrom : w) depend(out : w)
  w = 5;
#pragma omp taskwait
#pragma omp target nowait map(tofrom : v)
  v = 6;
#pragma omp taskwait
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp task depend(out : u) shared(u)
    u = 7;
#pragma omp target nowait depend(in : u) depend(out : from_task) map(to : u) map(from : from_task)
    from_task = u + 1;
#pragma omp task depend(in : from_task) shared(from_task)
    from_task++;
  }
  printf("%d %d %d %d\n", w, v, u, from_task);
}

static void privates(void) {
  int scalar = 1, array[5] = {1, 2, 3, 4, 5}, sum = 0;
  double wide = 0.5;
#pragma omp target firstprivate(scalar, array, wide) map(tofrom : sum)
  {
    scalar += 10;
    for (int i = 0; i < 5; i++) array[i] *= 2;
    for (int i = 0; i < 5; i++) sum += array[i];
    wide *= 4;
    sum += scalar + (int)wide;
  }
  printf("%d %d %d %g\n", scalar, array[4], sum, wide);
}

static void leagues(void) {
  int seen = 0, squares[40] = {0}, sum = 0;
#pragma omp target teams num_teams(3) map(tofrom : seen) reduction(+ : seen)
  seen += 1 + 10 * omp_get_num_teams();
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : squares)
  for (int i = 0; i < 40; i++) squares[i] += i * i;
  for (int i = 0; i < 40; i++) sum += squares[i];
  printf("%d %d %d\n", seen, sum, omp_get_num_teams());
}

static void data(void) {
  int values[4] = {1, 2, 3, 4}, sum = 0;
#pragma omp target enter data map(to : values)
#pragma omp target data map(tofrom : sum)
  {
#pragma omp target update to(values) nowait
#pragma omp taskwait
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 4; i++) sum += values[i];
  }
#pragma omp target exit data map(from : values)
  int* const device = omp_target_alloc(sizeof values, omp_get_initial_device());
  omp_target_memcpy(device, values, sizeof values, 0, 0, omp_get_initial_device(),
                    omp_get_initial_device());
  const size_t volume[2] = {2, 1}, to_offsets[2] = {0, 1}, from_offsets[2] = {0, 0},
               dimensions[2] = {2, 2};
  omp_target_memcpy_rect(device, values, sizeof(int), 2, volume, to_offsets, from_offsets,
                         dimensions, dimensions, omp_get_initial_device(),
                         omp_get_initial_device());
  printf("%d %d %d %d %d\n", sum, device[0], device[1], device[2], device[3]);
  omp_target_free(device, omp_get_initial_device());
}

int main(int argc, char** argv) {
  (void)argc, (void)argv;
#ifndef ALONE
  MPI_Init(&argc, &argv);
#endif
  deferred();
  privates();
  leagues();
  data();
#ifndef ALONE
  MPI_Finalize();
#endif
  return 0;
}
