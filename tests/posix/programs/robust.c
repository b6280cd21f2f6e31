/* Robust mutexes of what ends while it holds one. Rank 0, or its child, gets EOWNERDEAD, mends what the mutex guards, and
 * is followed by an owner that finds it consistent.
 *
 *   robust returns   rank 1 returns from main
 *   robust exits     a thread of rank 1 calls exit
 *   robust sleeps    a thread of rank 1 sleeps when main returns
 *   robust child     a child of rank 1 ends
 *   robust waiter    rank 1 returns; a child of rank 0 waits
 *   robust thread    a thread of rank 0 ends, whose mutex is not shared
 *
 * Rank 0 prints "ok". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  pthread_mutex_t mutex, second;
  volatile int half_done;
};
static struct shared* shared;
static const char* what;

static int is(const char* word) {
  return !strcmp(what, word);
}

static void check(int holds, const char* which) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, which);
  _exit(1);
}

static void make(pthread_mutex_t* mutex, int process_shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setpshared(&attributes, process_shared);
  pthread_mutex_init(mutex, &attributes);
}

static void hold(void) {
  check(pthread_mutex_lock(&shared->mutex) == 0, "lock");
  check(pthread_mutex_lock(&shared->second) == 0, "second lock");
  shared->half_done = 1;
}

static void inherit(pthread_mutex_t* mutex) {
  check(pthread_mutex_lock(mutex) == EOWNERDEAD, "EOWNERDEAD");
  check(shared->half_done == 1, "what the owner wrote");
  check(pthread_mutex_consistent(mutex) == 0, "consistent");
  check(pthread_mutex_unlock(mutex) == 0, "unlock");
  check(pthread_mutex_lock(mutex) == 0, "lock again");
  check(pthread_mutex_unlock(mutex) == 0, "unlock again");
}

static void inherit_both(void) {
  inherit(&shared->mutex);
  inherit(&shared->second);
}

static void* hold_and_end(void* unused) {
  hold();
  return unused;
}

static void* hold_and_exit(void* unused) {
  hold();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  exit(0);
  return unused;
}

static pthread_barrier_t held;

static void* hold_and_sleep(void* unused) {
  hold();
  pthread_barrier_wait(&held);
  for (;;) usleep(1000);
  return unused;
}

static int be_rank_1(void) {
  pthread_t thread;
  int status;
  if (is("exits")) {
    pthread_create(&thread, NULL, hold_and_exit, NULL);
    for (;;) usleep(1000);
  }
  if (is("returns") || is("waiter")) hold();
  if (is("sleeps")) {
    pthread_barrier_init(&held, NULL, 2);
    pthread_create(&thread, NULL, hold_and_sleep, NULL);
    pthread_barrier_wait(&held);
  }
  if (is("child")) {
    const pid_t child = fork();
    if (child == 0) {
      hold();
      _exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "child");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

static int be_rank_0(void) {
  pthread_t thread;
  int status;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (is("thread")) {
    make(&shared->mutex, PTHREAD_PROCESS_PRIVATE);
    make(&shared->second, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, hold_and_end, NULL);
    pthread_join(thread, NULL);
  }
  if (is("waiter")) {
    const pid_t child = fork();
    if (child == 0) {
      inherit_both();
      _exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "child");
  } else {
    inherit_both();
  }
  puts("ok");
  return 0;
}

int main(int argc, char** argv) {
  int rank, file, provided;
  char name[64];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  what = argv[1];
  snprintf(name, sizeof name, "robust-%d", (int)getpid());
  file = open(name, O_RDWR | O_CREAT, 0600);
  check(file >= 0 && ftruncate(file, sizeof *shared) == 0, "file");
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(shared != MAP_FAILED, "mmap");
  if (rank == 0) {
    make(&shared->mutex, PTHREAD_PROCESS_SHARED);
    make(&shared->second, PTHREAD_PROCESS_SHARED);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  return rank == 0 ? be_rank_0() : be_rank_1();
}
