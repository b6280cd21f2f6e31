/* One-sided communication, microseconds a call; the argument says which:
 *
 *   pair   rank 0 accesses rank 1's memory, which waits in a barrier, or computes
 *   crowd  all ranks at once
 *   four   four put into rank 0's memory at once: the four other ranks; with two ranks, four threads of rank 1 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "measure.h"

enum { LONG = 131072 };
static MPI_Win window;
static MPI_Group left, right;
static double numbers[LONG];
static long one = 1, fetched;
static int rank, size;

static void put(void) {
  MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window);
  MPI_Win_flush(1, window);
}
static void get(void) {
  MPI_Get(&fetched, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window);
  MPI_Win_flush(1, window);
}
static void fetch_and_op(void) {
  MPI_Fetch_and_op(&one, &fetched, MPI_LONG, 1, 0, MPI_SUM, window);
  MPI_Win_flush(1, window);
}
static void compare_and_swap(void) {
  MPI_Compare_and_swap(&one, &one, &fetched, MPI_LONG, 1, 0, window);
  MPI_Win_flush(1, window);
}
static void accumulate(int count) {
  MPI_Accumulate(numbers, count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush(1, window);
}
static void accumulate_short(void) {
  accumulate(1024);
}
static void accumulate_long(void) {
  accumulate(LONG);
}

static void lock_put_unlock(int target) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
  MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, window);
  MPI_Win_unlock(target, window);
}
static void at_neighbor(void) {
  lock_put_unlock(1);
}
static void at_root(void) {
  lock_put_unlock(0);
}

static void lock_all(void) {
  MPI_Win_lock_all(0, window);
  MPI_Win_unlock_all(window);
}
static void fence(void) {
  MPI_Win_fence(0, window);
}
static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}
static void around_a_ring(void) {
  MPI_Win_post(left, 0, window);
  MPI_Win_start(right, 0, window);
  MPI_Put(&one, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
}

static void by_rank_0(long iterations, void* operation) {
  void (**call)(void) = operation;
  for (long i = 0; rank == 0 && i < iterations; i++) (*call)();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void by_all(long iterations, void* operation) {
  void (**call)(void) = operation;
  for (long i = 0; i < iterations; i++) (*call)();
  MPI_Barrier(MPI_COMM_WORLD);
}

/* `each`: how many calls of an iteration come one after the other. */
static void measure(const char* name, void (*body)(long, void*), void (*call)(void), int each) {
  const double microseconds = seconds_each(body, &call, 0.04) * 1e6 / each;
  if (rank == 0) printf("RESULT %s %.6g\n", name, microseconds);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Rank 1 makes no call for 20 ms. */
static void measure_beside_work(void) {
  double found[REPETITIONS];
  for (int i = 0; i < REPETITIONS; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now();
    while (rank == 1 && now() - start < 0.020) {
    }
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
      MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window);
      MPI_Win_unlock(1, window);
    }
    found[i] = (now() - start) * 1e6;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("RESULT lock_accumulate_unlock_beside_work %.6g\n", median(found, REPETITIONS));
}

static void measure_pair(void) {
  MPI_Win_lock_all(0, window);
  measure("put_8_flush", by_rank_0, put, 1);
  measure("get_8_flush", by_rank_0, get, 1);
  measure("fetch_and_op_flush", by_rank_0, fetch_and_op, 1);
  measure("compare_and_swap_flush", by_rank_0, compare_and_swap, 1);
  measure("accumulate_1024_doubles_flush", by_rank_0, accumulate_short, 1);
  measure("accumulate_131072_doubles_flush", by_rank_0, accumulate_long, 1);
  MPI_Win_unlock_all(window);
  measure("lock_put_unlock", by_rank_0, at_neighbor, 1);
  measure_beside_work();
}

static void measure_crowd(void) {
  measure("lock_all_unlock_all", by_all, lock_all, 1);
  measure("fence", by_all, fence, 1);
  measure("barrier", by_all, barrier, 1);
  measure("post_start_put_complete_wait", by_all, around_a_ring, 1);
  measure("lock_put_unlock_of_all_at_rank_0", by_all, at_root, size);
}

/* Long enough that the four run side by side. */
enum { PUTS = 2000000, FOUR = 4 };

static void* put_often(void* unused) {
  for (int i = 0; i < PUTS; i++) {
    MPI_Put(&one, 1, MPI_LONG, 0, 64 * rank, 1, MPI_LONG, window);
    if (i % 1000 == 999) MPI_Win_flush(0, window);
  }
  return unused;
}

static void measure_four(void) {
  double found[5];
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 5; i++) {
    pthread_t threads[FOUR - 1];
    const int more = rank == 1 && size == 2 ? FOUR - 1 : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now();
    for (int each = 0; each < more; each++) pthread_create(&threads[each], NULL, put_often, NULL);
    if (rank != 0) put_often(NULL);
    for (int each = 0; each < more; each++) pthread_join(threads[each], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    found[i] = (now() - start) * 1e6 / PUTS / FOUR;
  }
  MPI_Win_unlock_all(window);
  if (rank == 0)
    printf("RESULT put_8_by_four_%s %.6g\n", size == 2 ? "threads" : "ranks", median(found, 5));
}

static MPI_Group alone(MPI_Group all, int member) {
  MPI_Group made;
  MPI_Group_incl(all, 1, &member, &made);
  return made;
}

int main(int argc, char** argv) {
  double* memory;
  MPI_Group all;
  const char* const what = argc > 1 ? argv[1] : "crowd";
  int given = 0;
  const int is_four = strcmp(what, "four") == 0;
  MPI_Init_thread(&argc, &argv, is_four ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof numbers, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, sizeof numbers);
  MPI_Win_get_group(window, &all);
  left = alone(all, (rank + size - 1) % size);
  right = alone(all, (rank + 1) % size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "pair") == 0) {
    measure_pair();
  } else if (is_four) {
    measure_four();
  } else {
    measure_crowd();
  }
  MPI_Group_free(&left);
  MPI_Group_free(&right);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
