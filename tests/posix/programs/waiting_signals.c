/* Signals that come while their rank waits for a thread or in MPI.
 *
 *   waiting_signals semaphores  sem_wait and its kin end with EINTR, or go on as SA_RESTART says
 *   waiting_signals threads     waits for other threads go on after the handler
 *   waiting_signals jumps       a handler leaves such a wait by siglongjmp, and what was waited for can be used again
 *
 * These take an even number of ranks. In each call of MPI the even ranks wait until the odd ones have seen their handlers:
 *
 *   waiting_signals mpi         messages and collectives
 *
 * And these end the job, by the handler of rank 0 in MPI_Recv: abort, call, query, jump, exit, leave.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "signal_helpers.h"

static sem_t awaited, go;

static struct timespec in(clockid_t clock, double seconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += (time_t)seconds;
  return time;
}

static void post(int signal) {
  count(signal);
  sem_post(&awaited);
}

static void use_semaphores(void) {
  sigset_t alarms, before;
  sem_init(&awaited, 0, 0);
  set(SIGALRM, count, 0);
  soon();
  int result = sem_wait(&awaited);
  tell("sem_wait", result, errno == EINTR);
  struct timespec late = in(CLOCK_REALTIME, 100);
  soon();
  result = sem_timedwait(&awaited, &late);
  tell("sem_timedwait", result, errno == EINTR);
  late = in(CLOCK_MONOTONIC, 100);
  soon();
  result = sem_clockwait(&awaited, CLOCK_MONOTONIC, &late);
  tell("sem_clockwait", result, errno == EINTR);
  set(SIGALRM, post, SA_RESTART);
  soon();
  result = sem_wait(&awaited);
  tell("sem_wait restarts", result, (int)seen);
  late = in(CLOCK_REALTIME, 100);
  soon();
  result = sem_timedwait(&awaited, &late);
  tell("sem_timedwait does not", result, errno == EINTR);
  printf("posted %d\n", sem_trywait(&awaited));
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarms, &before);
  late = in(CLOCK_REALTIME, 1);
  soon();
  result = sem_timedwait(&awaited, &late);
  tell("blocked", result, errno == ETIMEDOUT);
  printf("alarms %d", (int)seen);
  sigprocmask(SIG_SETMASK, &before, NULL);
  printf(", then %d\n", (int)seen);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_mutex_t robust;
static int turn;

static void let_go(int signal) {
  count(signal);
  sem_post(&go);
}

/* Each step of the main thread waits for this one, which waits for the handler. */
static void* other_thread(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&lock);
  pthread_mutex_lock(&robust);
  sem_post(&awaited);
  sem_wait(&go);
  pthread_mutex_unlock(&mutex);
  sem_wait(&go);
  pthread_rwlock_unlock(&lock);
  sem_wait(&go);
  pthread_mutex_unlock(&robust);
  for (int i = 0; i < 2; ++i) {
    sem_wait(&go);
    pthread_mutex_lock(&mutex);
    ++turn;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  sem_wait(&go);
  pthread_barrier_wait(&barrier);
  sem_wait(&go);
  return unused;
}

static void use_threads(void) {
  pthread_t thread;
  pthread_mutexattr_t attributes;
  pthread_attr_t blocks;
  sigset_t alarms, none;
  void* got = NULL;
  sem_init(&awaited, 0, 0);
  sem_init(&go, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_attr_init(&blocks);
  set(SIGALRM, let_go, 0);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, &none);
  pthread_create(&thread, &blocks, other_thread, &turn);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  sem_wait(&awaited);
  soon();
  int result = pthread_mutex_lock(&mutex);
  tell("mutex", result, (int)seen);
  pthread_mutex_unlock(&mutex);
  soon();
  result = pthread_rwlock_rdlock(&lock);
  tell("rwlock", result, (int)seen);
  soon();
  result = pthread_mutex_lock(&robust);
  tell("robust mutex", result, (int)seen);
  for (int i = 1; i <= 2; ++i) {
    const struct timespec late = in(CLOCK_REALTIME, 100);
    result = 0;
    pthread_mutex_lock(&mutex);
    soon();
    while (turn < i && result == 0) {
      result = i == 1 ? pthread_cond_wait(&condition, &mutex)
                      : pthread_cond_timedwait(&condition, &mutex, &late);
    }
    tell("condition", result, (int)seen);
    pthread_mutex_unlock(&mutex);
  }
  soon();
  result = pthread_barrier_wait(&barrier);
  tell("barrier", result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, (int)seen);
  soon();
  result = pthread_join(thread, &got);
  tell("join", result, (int)seen);
  printf("got %d\n", got == &turn);
}

static sigjmp_buf before;
static void leave(int signal) {
  last = signal;
  ++seen;
  siglongjmp(before, 1);
}

static void* holder(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&awaited);
  sem_wait(&go);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void use_jumps(void) {
  pthread_t thread;
  sigset_t alarms, none;
  sem_init(&awaited, 0, 0);
  sem_init(&go, 0, 0);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, &none);
  pthread_create(&thread, NULL, holder, NULL);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  sem_wait(&awaited);
  set(SIGALRM, leave, 0);
  for (volatile int i = 0; i < 5; ++i) {
    if (sigsetjmp(before, 1) == 0) {
      soon();
      sem_wait(&awaited);
    }
    if (sigsetjmp(before, 1) == 0) {
      soon();
      pthread_mutex_lock(&mutex);
    }
  }
  sem_post(&awaited);
  tell("sem_wait", sem_wait(&awaited), (int)seen);
  sem_post(&go);
  tell("mutex", pthread_mutex_lock(&mutex), (int)seen);
  tell("join", pthread_join(thread, NULL), (int)seen);
}

#ifndef PLAIN
enum { kMostRanks = 64 };
static volatile int* handled; /* of each rank, seen by all */
static void note(int signal) {
  count(signal);
  ++handled[rank];
}

static int size;
static int is_even(void) {
  return rank % 2 == 0;
}

/* Even ranks: the handler is to run in the call that follows. Odd ranks: until it has, in all even ones. */
static void begin(int call) {
  if (is_even()) return soon();
  for (int i = 0; i < size; i += 2)
    while (handled[i] < call) usleep(1000);
}

static void use_mpi(void) {
  const int peer = rank ^ 1;
  char byte = 0;
  int sum = 0, index = 0, call = 0;
  const int file = open("waiting_signals.shared", O_RDWR | O_CREAT, 0600);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0 && ftruncate(file, 0) == 0 && ftruncate(file, kMostRanks * sizeof(int)) != 0)
    return;
  MPI_Barrier(MPI_COMM_WORLD);
  handled = mmap(NULL, kMostRanks * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  set(SIGALRM, note, 0);
  begin(++call);
  if (is_even()) {
    MPI_Recv(&byte, 1, MPI_CHAR, peer, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send("r", 1, MPI_CHAR, peer, call, MPI_COMM_WORLD);
  }
  begin(++call);
  if (is_even()) {
    MPI_Ssend(&byte, 1, MPI_CHAR, peer, call, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&byte, 1, MPI_CHAR, peer, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  begin(++call);
  if (is_even()) {
    MPI_Request requests[2];
    char bytes[2];
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&bytes[i], 1, MPI_CHAR, peer, 100 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    if (index != 1) printf("wrong index %d\n", index);
    MPI_Send(&byte, 1, MPI_CHAR, peer, 102, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    byte = bytes[0];
  } else {
    MPI_Send("1", 1, MPI_CHAR, peer, 101, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_CHAR, peer, 102, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send("r", 1, MPI_CHAR, peer, 100, MPI_COMM_WORLD);
  }
  begin(++call);
  if (is_even()) {
    MPI_Probe(peer, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&byte, 1, MPI_CHAR, peer, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send("p", 1, MPI_CHAR, peer, call, MPI_COMM_WORLD);
  }
  begin(++call);
  MPI_Barrier(MPI_COMM_WORLD);
  begin(++call);
  MPI_Allreduce(&call, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  begin(++call);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  begin(++call);
  int numbers[kMostRanks], others[kMostRanks];
  for (int i = 0; i < size; ++i) numbers[i] = rank;
  MPI_Alltoall(numbers, 1, MPI_INT, others, 1, MPI_INT, MPI_COMM_WORLD);
  if (others[peer] != peer) printf("wrong number %d\n", others[peer]);
  printf("calls %d, alarms %d, sum %d, byte %c\n", call, (int)seen, sum == 6 * size,
         is_even() ? byte : 'p');
}

static void end_in_handler(int signal) {
  char byte = 0;
  int flag = 0;
  count(signal);
  if (strcmp(chosen, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(chosen, "call") == 0) MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (strcmp(chosen, "query") == 0) MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
  if (strcmp(chosen, "jump") == 0) siglongjmp(before, 1);
  if (strcmp(chosen, "exit") == 0) exit(5);
  if (strcmp(chosen, "leave") == 0) _exit(0);
}

static void use_end(void) {
  char byte;
  set(SIGALRM, end_in_handler, 0);
  if (rank == 0 && sigsetjmp(before, 1) == 0) {
    soon();
    MPI_Recv(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
#endif

static const Use kUses[] = {
    {"semaphores", use_semaphores},
    {"threads", use_threads},
    {"jumps", use_jumps},
#ifndef PLAIN
    {"mpi", use_mpi},
    {"abort", use_end},
    {"call", use_end},
    {"query", use_end},
    {"jump", use_end},
    {"exit", use_end},
    {"leave", use_end},
#endif
};

int main(int argc, char** argv) {
  return run_use(argc, argv, kUses, sizeof kUses / sizeof kUses[0]);
}
