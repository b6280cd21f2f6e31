/* Each thread of a rank has the name that it was given; the main thread at first the program's. Prints "ok". */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static int failed;
static pthread_barrier_t named, seen;

#define CHECK(condition)                           \
  if (!(condition)) {                              \
    failed = 1;                                    \
    printf("line %d: %s\n", __LINE__, #condition); \
  }

static int is(pthread_t thread, const char* wanted) {
  char name[16] = "";
  return pthread_getname_np(thread, name, sizeof name) == 0 && strcmp(name, wanted) == 0;
}

static void* be_named(void* unused) {
  char name[16] = "";
  CHECK(pthread_setname_np(pthread_self(), "thread") == 0);
  CHECK(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "thread") == 0);
  pthread_barrier_wait(&named);
  pthread_barrier_wait(&seen);
  return unused;
}

int main(int argc, char** argv) {
  char own[16], kernel[16], few[4];
  int rank;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(is(pthread_self(), "names"));
  snprintf(own, sizeof own, "rank %d", rank);
  CHECK(pthread_setname_np(pthread_self(), own) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(is(pthread_self(), own));
  CHECK(prctl(PR_GET_NAME, kernel) == 0 && strcmp(kernel, own) == 0);
  pthread_barrier_init(&named, NULL, 2);
  pthread_barrier_init(&seen, NULL, 2);
  pthread_create(&thread, NULL, be_named, NULL);
  pthread_barrier_wait(&named);
  CHECK(is(thread, "thread"));
  CHECK(is(pthread_self(), own));
  pthread_barrier_wait(&seen);
  pthread_join(thread, NULL);
  CHECK(prctl(PR_SET_NAME, "main") == 0);
  CHECK(is(pthread_self(), "main"));
  CHECK(pthread_setname_np(pthread_self(), "more than 15 bytes") == ERANGE);
  CHECK(pthread_getname_np(pthread_self(), few, sizeof few) == ERANGE);
  if (!failed) puts("ok");
  MPI_Finalize();
  return failed;
}
