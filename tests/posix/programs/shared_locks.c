/* Locks that processes share, in a file that each rank maps for itself, so at an address of its own.
 *
 *   shared_locks WHO WHAT TURNS
 *
 * WHO    ranks      the parties are the ranks
 *        children   each rank and a child that it has forked: two parties
 * WHAT   condition  turns are taken round all parties under a mutex, announced by broadcasts
 *        semaphore  the same by semaphores of sem_init, named by sem_open
 *        barrier    all parties meet
 *        mutex      all parties count under it, and read what they have counted; likewise
 *        rwlock, spin
 *        timed      waits for what does not come end in time, and as libc says
 *        idle       the parties wait for long; prints how often the process's kernel threads have waited meanwhile
 *
 * Prints "ok" for each rank. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kParties = 256 };

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  sem_t semaphores[kParties];
  volatile int turn, left, right, here;
};

static struct shared* shared;
static int rank, size, party, parties, turns;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "party %d: %s: %s\n", party, what, strerror(errno));
  _exit(1);
}

static void make_shared(void) {
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_barrierattr_t barrier;
  pthread_rwlockattr_t rwlock;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &condition);
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &barrier, (unsigned)parties);
  pthread_rwlockattr_init(&rwlock);
  pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared->rwlock, &rwlock);
  pthread_spin_init(&shared->spin, PTHREAD_PROCESS_SHARED);
  for (int i = 0; i < kParties; ++i) sem_init(&shared->semaphores[i], 1, i == 0);
}

static struct shared* map(const char* name) {
  const int file = open(name, O_RDWR | O_CREAT, 0600);
  check(file >= 0 && ftruncate(file, sizeof *shared) == 0, "file");
  void* const at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(at != MAP_FAILED, "mmap");
  close(file);
  return at;
}

static void by_condition(void) {
  for (int i = 0; i < turns; ++i) {
    check(pthread_mutex_lock(&shared->mutex) == 0, "lock");
    while (shared->turn % parties != party) {
      check(pthread_cond_wait(&shared->condition, &shared->mutex) == 0, "wait");
    }
    ++shared->turn;
    pthread_cond_broadcast(&shared->condition);
    check(pthread_mutex_unlock(&shared->mutex) == 0, "unlock");
  }
}

static void by_semaphore(sem_t* own, sem_t* next) {
  for (int i = 0; i < turns; ++i) {
    while (sem_wait(own) != 0) check(errno == EINTR, "sem_wait");
    check(shared->turn++ % parties == party, "order");
    check(sem_post(next) == 0, "sem_post");
  }
}

static sem_t* open_named(int number) {
  char name[64];
  snprintf(name, sizeof name, "/heddle-shared-%d-%d", (int)getppid(), number);
  sem_t* const made = sem_open(name, O_CREAT, 0600, number == 0);
  check(made != SEM_FAILED, "sem_open");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return made;
}

static void by_named(void) {
  sem_t* const own = open_named(rank);
  sem_t* const next = open_named((rank + 1) % size);
  char name[64];
  snprintf(name, sizeof name, "/heddle-shared-%d-%d", (int)getppid(), rank);
  sem_unlink(name);
  by_semaphore(own, next);
}

static void meet(void) {
  int last = 0;
  for (int i = 1; i <= turns; ++i) {
    __atomic_add_fetch(&shared->here, 1, __ATOMIC_RELAXED);
    const int result = pthread_barrier_wait(&shared->barrier);
    check(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, "barrier");
    check(shared->here >= i * parties, "they are not all here");
    last += result != 0;
    __atomic_add_fetch(&shared->turn, result != 0, __ATOMIC_RELAXED);
    pthread_barrier_wait(&shared->barrier);
    check(shared->turn == i, "one is the last");
  }
}

/* A holder that lets others run finds nothing changed. */
static void count_between(void (*lock)(void), void (*unlock)(void)) {
  for (int i = 0; i < turns; ++i) {
    lock();
    ++shared->left;
    sched_yield();
    check(++shared->right == shared->left, "two hold it");
    ++shared->turn;
    unlock();
  }
}

static void lock_mutex(void) {
  check(pthread_mutex_lock(&shared->mutex) == 0, "lock");
}
static void unlock_mutex(void) {
  check(pthread_mutex_unlock(&shared->mutex) == 0, "unlock");
}
static void lock_spin(void) {
  check(pthread_spin_lock(&shared->spin) == 0, "spin");
}
static void unlock_spin(void) {
  check(pthread_spin_unlock(&shared->spin) == 0, "unspin");
}
static void unlock_rwlock(void) {
  check(pthread_rwlock_unlock(&shared->rwlock) == 0, "unlock");
}
static void lock_rwlock(void) {
  check(pthread_rwlock_rdlock(&shared->rwlock) == 0, "rdlock");
  check(shared->left == shared->right, "a writer beside a reader");
  unlock_rwlock();
  check(pthread_rwlock_wrlock(&shared->rwlock) == 0, "wrlock");
}

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 20000000;
  if (time.tv_nsec >= 1000000000) ++time.tv_sec, time.tv_nsec -= 1000000000;
  return time;
}

static void wait_in_vain(void) {
  struct timespec time = soon();
  check(sem_timedwait(&shared->semaphores[kParties - 1], &time) == -1 && errno == ETIMEDOUT, "sem");
  lock_mutex();
  time = soon();
  check(pthread_cond_timedwait(&shared->condition, &shared->mutex, &time) == ETIMEDOUT, "cond");
  unlock_mutex();
  pthread_barrier_wait(&shared->barrier);
  if (party == 0) {
    lock_mutex();
    lock_rwlock();
  }
  pthread_barrier_wait(&shared->barrier);
  if (party != 0) {
    time = soon();
    check(pthread_mutex_timedlock(&shared->mutex, &time) == ETIMEDOUT, "timedlock");
    time = soon();
    check(pthread_rwlock_timedrdlock(&shared->rwlock, &time) == ETIMEDOUT, "timedrdlock");
    check(pthread_rwlock_timedwrlock(&shared->rwlock, &time) == ETIMEDOUT, "timedwrlock");
    check(pthread_rwlock_trywrlock(&shared->rwlock) == EBUSY, "trywrlock");
  }
  pthread_barrier_wait(&shared->barrier);
  if (party == 0) {
    unlock_rwlock();
    unlock_mutex();
  }
  shared->turn = parties * turns;
}

/* How often kernel threads of the process have gone to sleep. */
static long sleeps(void) {
  long sum = 0;
  DIR* const tasks = opendir("/proc/self/task");
  for (struct dirent* task; (task = readdir(tasks)) != NULL;) {
    char path[300], line[200];
    long count;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    FILE* const status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status)) {
      if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) sum += count;
    }
    if (status != NULL) fclose(status);
  }
  closedir(tasks);
  return sum;
}

static void wait_long(void) {
  if (party == 0) {
    lock_mutex();
    lock_rwlock();
    pthread_barrier_wait(&shared->barrier);
    usleep(200000); /* they wait now, most likely; if not, fewer sleeps are counted */
    const long before = sleeps();
    usleep(500000);
    printf("sleeps %ld\n", sleeps() - before);
    unlock_rwlock();
    unlock_mutex();
    for (int i = 0; i < parties; ++i) sem_post(&shared->semaphores[kParties - 1]);
  } else {
    pthread_barrier_wait(&shared->barrier);
    switch (party % 3) {
      case 0:
        lock_mutex();
        unlock_mutex();
        break;
      case 1:
        lock_rwlock();
        unlock_rwlock();
        break;
      default:
        while (sem_wait(&shared->semaphores[kParties - 1]) != 0) continue;
    }
  }
  pthread_barrier_wait(&shared->barrier);
  shared->turn = parties * turns;
}

static void take_part(const char* what) {
  if (!strcmp(what, "condition")) by_condition();
  if (!strcmp(what, "semaphore")) {
    by_semaphore(&shared->semaphores[party], &shared->semaphores[(party + 1) % parties]);
  }
  if (!strcmp(what, "named")) by_named();
  if (!strcmp(what, "barrier")) meet();
  if (!strcmp(what, "mutex")) count_between(lock_mutex, unlock_mutex);
  if (!strcmp(what, "rwlock")) count_between(lock_rwlock, unlock_rwlock);
  if (!strcmp(what, "spin")) count_between(lock_spin, unlock_spin);
  if (!strcmp(what, "timed")) wait_in_vain();
  if (!strcmp(what, "idle")) wait_long();
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int has_child = !strcmp(argv[1], "children");
  char name[64];
  pid_t child = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  turns = atoi(argv[3]);
  parties = has_child ? 2 * size : size;
  party = has_child ? 2 * rank : rank;
  snprintf(name, sizeof name, "shared-%d", (int)getpid());
  shared = map(name);
  if (rank == 0) make_shared();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  if (has_child && (child = fork()) == 0) {
    ++party;
    take_part(argv[2]);
    _exit(0);
  }
  take_part(argv[2]);
  if (has_child) {
    int status;
    check(waitpid(child, &status, 0) == child && status == 0, "child");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int wanted = !strcmp(argv[2], "barrier") ? turns : parties * turns;
  check(shared->turn == wanted, "turns");
  puts("ok");
  MPI_Finalize();
  return 0;
}
