/* Uses of pthreads by a rank, one an argument. Prints "ok" when what came out is right; otherwise the
 * line that was wrong, and ends with status 1. */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("line %d: %s is wrong\n", __LINE__, #condition); \
      fflush(stdout);                                         \
      MPI_Abort(MPI_COMM_WORLD, 1);                           \
    }                                                         \
  } while (0)

enum { kThreads = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static long counter;
static int turn;
static int rank;
static __thread int per_thread = 5;

static void start(pthread_t* threads, int count, void* (*function)(void*)) {
  for (long i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], NULL, function, (void*)i) == 0);
}
static void join(pthread_t* threads, int count) {
  for (int i = 0; i < count; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Mutex, condition variable and barrier: all count, then take turns in order, several times. */
static void* work(void* number) {
  const int me = (int)(long)number;
  int thread_rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &thread_rank);
  CHECK(thread_rank == rank);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) {
      pthread_mutex_lock(&mutex);
      ++counter;
      pthread_mutex_unlock(&mutex);
    }
    pthread_barrier_wait(&barrier);
    CHECK(counter == (round + 1) * 100L * kThreads);
    pthread_mutex_lock(&mutex);
    while (turn != me) pthread_cond_wait(&condition, &mutex);
    turn = (me + 1) % kThreads;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void together(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  start(threads, kThreads, work);
  join(threads, kThreads);
  pthread_barrier_destroy(&barrier);
}

/* A new thread finds keys empty, thread-local variables and errno as at the start. */
static pthread_key_t key;
static int destroyed;
static void destroy(void* value) {
  CHECK(value == &key);
  __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
}
static void* be_new(void* unused) {
  (void)unused;
  CHECK(pthread_getspecific(key) == NULL);
  CHECK(per_thread == 5);
  CHECK(errno == 0);
  pthread_setspecific(key, &key);
  per_thread = 7;
  errno = EINTR;
  return NULL;
}
static void fresh(void) {
  pthread_key_create(&key, destroy);
  for (int i = 0; i < 200; ++i) {
    pthread_t threads[3];
    start(threads, 3, be_new);
    join(threads, 3);
    CHECK(destroyed == 3 * (i + 1));
  }
  CHECK(per_thread == 5);
}

/* The destructor of a key that was made after the first thread still runs in a strand of the rank. */
static pthread_key_t late_key;
static void end_in_rank(void* value) {
  int own_rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  CHECK(own_rank == rank && value == &late_key);
  __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
}
static void* set_late(void* is_made) {
  if (is_made != NULL) pthread_setspecific(late_key, &late_key);
  return NULL;
}
static void late(void) {
  pthread_t thread, threads[3];
  CHECK(pthread_create(&thread, NULL, set_late, NULL) == 0);
  join(&thread, 1);
  pthread_key_create(&late_key, end_in_rank);
  destroyed = 0;
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&threads[i], NULL, set_late, &key) == 0);
  join(threads, 3);
  CHECK(destroyed == 3);
}

/* pthread_exit unwinds and runs cleanup handlers, the last one first. */
static int cleaned[2], cleanups;
static void clean(void* number) {
  cleaned[cleanups++] = (int)(long)number;
}
static void go(void* value) {
  pthread_cleanup_push(clean, (void*)2L);
  pthread_exit(value);
  pthread_cleanup_pop(0);
}
static void* leave(void* value) {
  pthread_cleanup_push(clean, (void*)1L);
  go(value);
  pthread_cleanup_pop(0);
  return NULL;
}
static void exits(void) {
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    void* result = NULL;
    cleanups = 0;
    CHECK(pthread_create(&thread, NULL, leave, &thread) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == &thread);
    CHECK(cleanups == 2 && cleaned[0] == 2 && cleaned[1] == 1);
  }
}

/* Timed waits on both clocks, with every kind of waiting. */
static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ms * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}
static void* hold(void* semaphore) {
  pthread_mutex_lock(&mutex);
  sem_post((sem_t*)semaphore);
  sem_wait((sem_t*)semaphore + 1);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
static void timed(void) {
  sem_t semaphores[2];
  pthread_t holder;
  sem_init(&semaphores[0], 0, 0);
  sem_init(&semaphores[1], 0, 0);
  CHECK(pthread_create(&holder, NULL, hold, semaphores) == 0);
  CHECK(sem_wait(&semaphores[0]) == 0);
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  struct timespec time = in_ms(CLOCK_REALTIME, 5);
  CHECK(pthread_mutex_timedlock(&mutex, &time) == ETIMEDOUT);
  time = in_ms(CLOCK_MONOTONIC, 5);
  CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &time) == ETIMEDOUT);
  time = in_ms(CLOCK_REALTIME, 5);
  CHECK(sem_timedwait(&semaphores[0], &time) == -1 && errno == ETIMEDOUT);
  CHECK(pthread_tryjoin_np(holder, NULL) == EBUSY);
  time = in_ms(CLOCK_REALTIME, 5);
  CHECK(pthread_timedjoin_np(holder, NULL, &time) == ETIMEDOUT);
  sem_post(&semaphores[1]);
  CHECK(pthread_join(holder, NULL) == 0);

  pthread_condattr_t attributes;
  pthread_cond_t monotonic;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  pthread_mutex_lock(&mutex);
  time = in_ms(CLOCK_REALTIME, 5);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &time) == ETIMEDOUT);
  time = in_ms(CLOCK_MONOTONIC, 5);
  CHECK(pthread_cond_timedwait(&monotonic, &mutex, &time) == ETIMEDOUT);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  CHECK(now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec));
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&monotonic);
}

/* Detached threads; attributes; a stack of the program's own. */
static sem_t done;
static void* detached(void* detach) {
  if (detach != NULL) pthread_detach(pthread_self());
  sem_post(&done);
  return NULL;
}
static void* big(void* unused) {
  volatile char room[3 << 20];
  (void)unused;
  memset((char*)room, 1, sizeof room);
  return (void*)(long)room[12345];
}
static void* give(void* value) {
  return value;
}
/* A thread and the main strand ask how they are scheduled, each of itself and of the other. */
static int is_scheduled_as_process(pthread_t thread) {
  struct sched_param parameters = {-1};
  int policy = -1;
  return pthread_getschedparam(thread, &policy, &parameters) == 0 &&
         policy == sched_getscheduler(0) && parameters.sched_priority >= 0;
}
static pthread_t main_strand;
static void* ask_scheduling(void* finished) {
  const long right =
      is_scheduled_as_process(pthread_self()) && is_scheduled_as_process(main_strand);
  sem_wait(finished);
  return (void*)right;
}
static void ask_for_scheduling(void) {
  sem_t finished;
  pthread_t thread;
  void* result = NULL;
  main_strand = pthread_self();
  sem_init(&finished, 0, 0);
  CHECK(pthread_create(&thread, NULL, ask_scheduling, &finished) == 0);
  CHECK(is_scheduled_as_process(main_strand) && is_scheduled_as_process(thread));
  sem_post(&finished);
  CHECK(pthread_join(thread, &result) == 0 && result == (void*)1L);
}

static void attributed(void) {
  static _Alignas(4096) char stack[1 << 20];
  pthread_attr_t attributes;
  pthread_t thread;
  void* result = NULL;
  sem_init(&done, 0, 0);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (long i = 0; i < 20; ++i) {
    CHECK(pthread_create(&thread, i % 2 ? &attributes : NULL, detached, (void*)(1 - i % 2)) == 0);
  }
  for (int i = 0; i < 20; ++i) sem_wait(&done);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 4 << 20);
  CHECK(pthread_create(&thread, &attributes, big, NULL) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == (void*)1L);
  pthread_attr_setstack(&attributes, stack, sizeof stack);
  CHECK(pthread_create(&thread, &attributes, give, stack) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == stack);
  ask_for_scheduling();
}

/* C11's names for the same. */
static mtx_t c_mutex;
static cnd_t c_condition;
static int c_count;
static once_flag c_once = ONCE_FLAG_INIT;
static void once_only(void) {
  c_count += 100;
}
static int c_work(void* goal) {
  call_once(&c_once, once_only);
  mtx_lock(&c_mutex);
  ++c_count;
  cnd_broadcast(&c_condition);
  while (c_count != *(int*)goal) cnd_wait(&c_condition, &c_mutex);
  mtx_unlock(&c_mutex);
  thrd_exit(-3);
}
static void c11(void) {
  thrd_t threads[8];
  int goal = 108, result = 0;
  CHECK(mtx_init(&c_mutex, mtx_plain) == thrd_success && cnd_init(&c_condition) == thrd_success);
  for (int i = 0; i < 8; ++i) CHECK(thrd_create(&threads[i], c_work, &goal) == thrd_success);
  for (int i = 0; i < 8; ++i) {
    CHECK(thrd_join(threads[i], &result) == thrd_success);
    CHECK(result == -3);
  }
}

/* A thread polls what another one must set, with nothing but a mutex or sched_yield. */
static int flag;
static void* poll_flag(void* yields) {
  for (int seen = 0; !seen;) {
    pthread_mutex_lock(&mutex);
    seen = flag;
    pthread_mutex_unlock(&mutex);
    if (yields != NULL) sched_yield();
  }
  return NULL;
}
static void polling(void) {
  pthread_t threads[4];
  start(threads, 4, poll_flag);
  usleep(2000);
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
  join(threads, 4);
}

/* The rank's directory and its creator's locale. */
static void* look(void* directory) {
  char here[4096];
  CHECK(strcmp(getcwd(here, sizeof here), directory) == 0);
  return NULL;
}
static void surroundings(void) {
  char wanted[64], here[4096];
  pthread_t threads[4];
  strcpy(wanted, rank % 2 ? "/usr" : "/etc");
  CHECK(chdir(wanted) == 0);
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, look, wanted) == 0);
  join(threads, 4);
  CHECK(strcmp(getcwd(here, sizeof here), wanted) == 0);
}

/* A thread that waits for good when it is cancelled while it runs. */
static void* canceled(void* posted) {
  pthread_cleanup_push(clean, (void*)9L);
  sem_post(posted);
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
  pthread_cleanup_pop(0);
  return NULL;
}
static void cancels(void) {
  sem_t posted;
  pthread_t thread;
  void* result = NULL;
  sem_init(&posted, 0, 0);
  cleanups = 0;
  CHECK(pthread_create(&thread, NULL, canceled, &posted) == 0);
  sem_wait(&posted);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED && cleanups == 1 && cleaned[0] == 9);
}

/* The main strand leaves first; the last thread prints. */
static void* outlive(void* unused) {
  (void)unused;
  usleep(20000);
  printf("ok\n");
  fflush(stdout);
  MPI_Finalize();
  return NULL;
}

/* A thread exits, after or before MPI is finalized; the main strand is somewhere else. Rank 0 goes on
 * in any case. */
static void say_handled(void) {
  printf("handled %d\n", rank);
}
static void* end_rank(void* unused) {
  (void)unused;
  printf("left %d\n", rank); /* not flushed */
  exit(7);
}
static void be_ended(const char* main_does) {
  pthread_t thread;
  atexit(say_handled);
  if (rank == 0) {
    usleep(50000);
    return;
  }
  CHECK(pthread_create(&thread, NULL, end_rank, NULL) == 0);
  if (strcmp(main_does, "waits") == 0) pthread_join(thread, NULL);
  if (strcmp(main_does, "sleeps") == 0) sleep(1000);
  if (strcmp(main_does, "yields") == 0)
    for (;;) sched_yield();
  if (strcmp(main_does, "exits") == 0) exit(7);
  if (strcmp(main_does, "leaves") == 0) pthread_exit(NULL);
}
static void* forever(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
}
static void* spin_forever(void* unused) {
  (void)unused;
  for (;;) sched_yield();
}
static void* crash(void* unused) {
  (void)unused;
  *(volatile int*)8 = 1;
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {{"together", together}, {"fresh", fresh},     {"late", late},
               {"exits", exits},       {"timed", timed},     {"attributed", attributed},
               {"c11", c11},           {"polling", polling}, {"surroundings", surroundings},
               {"cancels", cancels}};
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 2) return 2;
  if (strcmp(argv[1], "outlive") == 0) {
    CHECK(pthread_create(&thread, NULL, outlive, NULL) == 0);
    pthread_exit(NULL);
  }
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (strcmp(argv[1], tests[i].name) == 0 || strcmp(argv[1], "all") == 0) tests[i].run();
  }
  if (strcmp(argv[1], "leaving") == 0) {
    CHECK(pthread_create(&thread, NULL, forever, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, spin_forever, NULL) == 0);
    usleep(2000);
  }
  if (strcmp(argv[1], "crash") == 0) {
    CHECK(pthread_create(&thread, NULL, crash, NULL) == 0);
    pthread_join(thread, NULL);
  }
  if (strcmp(argv[1], "early-exit") == 0) be_ended("waits");
  MPI_Finalize();
  if (strcmp(argv[1], "exit") == 0) be_ended(argv[2]);
  printf("ok\n");
  return 0;
}
