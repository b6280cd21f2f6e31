/* Teams of OpenMP in ranks. Each rank's sums have closed forms, which are the oracle.

       openmp          teams that shrink in one rank and grow in the next; tasks, locks, nested teams, MPI in a team
       openmp exit     exit() of the main strand, after a region */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

static void check(int right, const char* what) {
  if (right) return;
  wrong = 1;
  printf("wrong: %s\n", what);
}

/* Every thread of the team has a number of its own, and belongs to `me`. */
static void check_team(int threads, int me) {
  int times[16] = {0}, of_me[16] = {0};
#pragma omp parallel num_threads(threads)
  {
    int rank = -1, k = omp_get_thread_num();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp critical
    times[k]++;
    of_me[k] = rank == me;
  }
  for (int k = 0; k < threads; k++) check(times[k] == 1 && of_me[k], "a thread's number or rank");
}

int main(int argc, char** argv) {
  int got, me, n;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int turn = 0; turn < n; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (turn != me) continue;
    check_team(8, me);
    check_team(1, me);
    check_team(2, me);
  }
  long tasks = 0, locked = 0, nested = 0, messages = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task
#pragma omp atomic
      tasks += i;
    }
    for (int i = 0; i < 100; i++) {
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
    }
#pragma omp parallel num_threads(2)
#pragma omp atomic
    nested++;
  }
#pragma omp parallel num_threads(4) reduction(+ : messages)
  {
    int sent = me, came = -1, left = (me + n - 1) % n;
    MPI_Sendrecv(&sent, 1, MPI_INT, (me + 1) % n, omp_get_thread_num(), &came, 1, MPI_INT, left,
                 omp_get_thread_num(), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages += came == left;
  }
  check(tasks == 4950, "tasks");
  check(locked == 400, "locks");
  check(nested == 8, "nested teams");
  check(messages == 4, "messages of a team");
  MPI_Finalize();
  if (!wrong) printf("ok\n");
  if (argc > 1 && strcmp(argv[1], "exit") == 0) exit(wrong);
  return wrong;
}
