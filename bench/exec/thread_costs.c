/* What threads of a rank cost: medians of several rounds, for `mpiexec --posix-threads ult` and
 * `kernel` in turns.
 *
 *   mpicc -O2 -o thread_costs bench/exec/thread_costs.c
 *   mpiexec -n 1 --workers 1 --posix-threads ult ./thread_costs
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 15, kMany = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turn;
static long counter;

static void* nothing(void* unused) {
  return unused;
}

static int run(int count, void* (*function)(void*)) {
  pthread_t threads[kMany];
  for (long i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], NULL, function, (void*)i) != 0) exit(1);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return count;
}

static int create_join(void) {
  for (int i = 0; i < 200; ++i) run(1, nothing);
  return 200;
}

static int create_join_many(void) {
  for (int i = 0; i < 5; ++i) run(kMany, nothing);
  return 5 * kMany;
}

static int lock_alone(void) {
  for (int i = 0; i < 200000; ++i) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return 200000;
}

static void* contend(void* unused) {
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&mutex);
    for (int k = 0; k < 20; ++k) *(volatile long*)&counter += 1;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static int lock_of_four(void) {
  return 5000 * run(4, contend);
}

static void* play(void* me) {
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&mutex);
    while (turn != (int)(long)me) pthread_cond_wait(&condition, &mutex);
    turn = 1 - turn;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}
static int ping_pong(void) {
  return 5000 * run(2, play);
}

static int compare(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static void measure(const char* name, int (*function)(void)) {
  double times[kRounds];
  for (int i = 0; i < kRounds; ++i) {
    const double began = MPI_Wtime();
    const int operations = function();
    times[i] = (MPI_Wtime() - began) / operations * 1e9;
  }
  qsort(times, kRounds, sizeof *times, compare);
  printf("%-44s %9.0f ns\n", name, times[kRounds / 2]);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  measure("create and join a thread", create_join);
  measure("create and join, each of 64 at once", create_join_many);
  measure("lock and unlock, one thread alone", lock_alone);
  measure("lock and unlock, each of four threads", lock_of_four);
  measure("hand over by a condition variable, two", ping_pong);
  MPI_Finalize();
  return 0;
}
