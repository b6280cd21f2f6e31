/* Teams of OpenMP in ranks. Each rank's sums have closed forms, which are the oracle.

       openmp          teams that shrink in one rank and grow in the next; tasks, locks, nested teams, MPI in a team
       openmp exit     exit() of the main strand, after a region
       openmp cores    each rank prints: processors, largest team, size of a team, CPUs of the main strand
       openmp wait     each rank prints for how many milliseconds a thread without work looks for some
       openmp pause    regions between which the library ends and starts again
       openmp cancel   a loop, sections and a taskgroup that end early; OMP_CANCELLATION=true */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int kmp_get_blocktime(void) __attribute__((weak)); /* of libomp alone */

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

static void tell_cores(void) {
  int team = 0;
  cpu_set_t cpus;
#pragma omp parallel
#pragma omp single
  team = omp_get_num_threads();
  sched_getaffinity(0, sizeof cpus, &cpus);
  printf("%d %d %d %d\n", omp_get_num_procs(), omp_get_max_threads(), team, CPU_COUNT(&cpus));
}

/* What comes behind the point of cancellation must not run once a thread has cancelled. One region for each: libomp
   itself hangs with several in one. */
static void cancel(void) {
  int after_for = 0, after_tasks = 0, after_region = 0;
#pragma omp parallel num_threads(4)
#pragma omp for
  for (int i = 0; i < 4000; i++) {
    if (i % 1000 == 0) {
#pragma omp cancel for
    }
#pragma omp cancellation point for
#pragma omp atomic
    after_for++;
  }
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 100; i++) {
#pragma omp task
    {
#pragma omp cancel taskgroup
#pragma omp atomic
      after_tasks++;
    }
  }
#pragma omp parallel num_threads(4)
  {
#pragma omp cancel parallel
#pragma omp atomic
    after_region++;
  }
  check(omp_get_cancellation(), "OMP_CANCELLATION");
  check(after_for == 0, "a cancelled loop");
  check(after_tasks == 0, "cancelled tasks");
  check(after_region == 0, "a cancelled region");
}

int main(int argc, char** argv) {
  int got, me, n;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (argc > 1 && strcmp(argv[1], "cores") == 0) {
    tell_cores();
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "wait") == 0) {
    printf("%d\n", kmp_get_blocktime());
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "pause") == 0) {
    for (int i = 0; i < 3;
         i++) { /* without a critical section: libomp forgets that its locks have gone */
      int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
      sum += omp_get_thread_num();
      check(sum == 6, "a team after a pause");
      check(omp_pause_resource_all(omp_pause_hard) == 0, "omp_pause_resource_all");
    }
    MPI_Finalize();
    if (!wrong) printf("ok\n");
    return wrong;
  }
  if (argc > 1 && strcmp(argv[1], "cancel") == 0) {
    for (int i = 0; i < 20; i++) cancel();
    MPI_Finalize();
    if (!wrong) printf("ok\n");
    return wrong;
  }
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
