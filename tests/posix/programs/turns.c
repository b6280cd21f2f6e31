/* turns WHAT: a thread of rank 1 and rank 2 wait for a mutex, a semaphore or a condition of rank 0's, in whose address
 * space they are; rank 1 ends; then rank 0 lets one of them go on. Rank 2 prints "ok". */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  volatile int passed;
};
static struct shared own = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{0}}, 0};
static struct shared* shared;
static const char* what;

static void await_turn(void) {
  if (!strcmp(what, "mutex")) {
    pthread_mutex_lock(&shared->mutex);
  } else if (!strcmp(what, "semaphore")) {
    sem_wait(&shared->semaphore);
  } else {
    pthread_mutex_lock(&shared->mutex);
    pthread_cond_wait(&shared->condition, &shared->mutex);
  }
}

static void give_turn(void) {
  if (!strcmp(what, "mutex")) {
    pthread_mutex_unlock(&shared->mutex);
  } else if (!strcmp(what, "semaphore")) {
    sem_post(&shared->semaphore);
  } else {
    pthread_cond_signal(&shared->condition);
  }
}

static void* wait_in_vain(void* unused) {
  await_turn();
  for (;;) sleep(1);
  return unused;
}

int main(int argc, char** argv) {
  int rank, provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  what = argv[1];
  sem_init(&own.semaphore, 0, 0);
  shared = &own;
  MPI_Bcast(&shared, sizeof shared, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0 && !strcmp(what, "mutex")) pthread_mutex_lock(&own.mutex);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    usleep(50000); /* it waits now, most likely; if not, there is nothing to see */
  }
  MPI_Finalize();
  if (rank == 2) {
    usleep(50000); /* behind it */
    await_turn();
    shared->passed = 1;
    puts("ok");
  }
  if (rank == 0) {
    usleep(200000); /* rank 1 has ended */
    give_turn();
    while (!shared->passed) usleep(1000);
  }
  return 0;
}
