/* Threads that are cancelled while they wait. With -DPLAIN a program without MPI, whose output on the
 * kernel's threads is the oracle. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("line %d: %s is wrong\n", __LINE__, #condition); \
      fflush(stdout);                                         \
      _exit(1);                                               \
    }                                                         \
  } while (0)

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t begun, never;
static pthread_t sleeper;
static int cleaned, passed;

static struct timespec far_away(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1000;
  return time;
}

/* Holds the mutex where a condition variable was waited for. */
static void clean(void* has_mutex) {
  ++cleaned;
  if (has_mutex != NULL) CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void in_cond_wait(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  sem_post(&begun);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
}
static void in_cond_timedwait(void) {
  struct timespec time = far_away();
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  sem_post(&begun);
  for (;;) pthread_cond_timedwait(&condition, &mutex, &time);
  pthread_cleanup_pop(0);
}
static void in_sem_wait(void) {
  sem_post(&begun);
  sem_wait(&never);
}
static void in_sem_timedwait(void) {
  struct timespec time = far_away();
  sem_post(&begun);
  sem_timedwait(&never, &time);
}
static void in_join(void) {
  sem_post(&begun);
  pthread_join(sleeper, NULL);
}
static void in_timedjoin(void) {
  struct timespec time = far_away();
  sem_post(&begun);
  pthread_timedjoin_np(sleeper, NULL, &time);
}
static void in_sleep(void) {
  sem_post(&begun);
  sleep(1000);
}
static void in_usleep(void) {
  sem_post(&begun);
  for (;;) usleep(900000);
}
static void in_nanosleep(void) {
  struct timespec time = {1000, 0};
  sem_post(&begun);
  nanosleep(&time, NULL);
}
static void in_clock_nanosleep(void) {
  struct timespec time = far_away();
  sem_post(&begun);
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL);
}
static void in_handler(void* unused) {
  struct timespec time = {0, 1000000};
  (void)unused;
  CHECK(sem_timedwait(&never, &(struct timespec){1, 0}) == -1 && errno == ETIMEDOUT);
  nanosleep(&time, NULL);
  ++passed;
}
static void in_a_handler_that_waits(void) {
  pthread_cleanup_push(in_handler, NULL);
  in_sem_wait();
  pthread_cleanup_pop(0);
}
static void in_two_waits_after_being_disabled(void) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  sem_post(&begun);
  usleep(5000);
  ++passed;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  sem_wait(&never);
}
static void in_sleep_of_the_asynchronous_type(void) {
  int old = -1;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  if (old == PTHREAD_CANCEL_DEFERRED) ++passed;
  sem_post(&begun);
  for (;;) sleep(1000);
}
static void in_mutex_lock(void) {
  sem_post(&begun);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  ++passed;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  pthread_testcancel();
}
#ifndef PLAIN
static void in_MPI_Recv(void) {
  sem_post(&begun);
  MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  ++passed;
  pthread_testcancel();
}
#endif

static void* run(void* wait) {
  pthread_cleanup_push(clean, NULL);
  (*(void (**)(void))wait)();
  pthread_cleanup_pop(0);
  return NULL;
}

/* `waiting`: give it time to begin its wait; what happens must not depend on it. */
static void cancel(const char* name, void (*wait)(void), int handlers, int passes, int waiting) {
  pthread_t thread;
  void* result = NULL;
  cleaned = passed = 0;
  if (wait == in_mutex_lock) pthread_mutex_lock(&mutex);
  CHECK(pthread_create(&thread, NULL, run, &wait) == 0);
  sem_wait(&begun);
  if (waiting) usleep(2000);
  CHECK(pthread_cancel(thread) == 0);
  if (waiting) usleep(2000);
  if (wait == in_mutex_lock) pthread_mutex_unlock(&mutex);
#ifndef PLAIN
  if (wait == in_MPI_Recv) MPI_Send(NULL, 0, MPI_INT, 0, 5, MPI_COMM_SELF);
#endif
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK(cleaned == handlers);
  CHECK(passed == passes);
  CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  if (waiting) printf("in %s\n", name);
}

/* One of two is cancelled while one of them is signalled: the signal is not lost. */
static int go, got[2];
static void* take_go(void* number) {
  const int me = (int)(long)number;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  sem_post(&begun);
  while (go == 0) pthread_cond_wait(&condition, &mutex);
  --go;
  got[me] = 1;
  pthread_cleanup_pop(1);
  return NULL;
}
static void signal_and_cancel(void) {
  for (int round = 0; round < 200; ++round) {
    pthread_t threads[2];
    got[0] = got[1] = go = 0;
    for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_go, (void*)i);
    sem_wait(&begun);
    sem_wait(&begun);
    pthread_mutex_lock(&mutex); /* both wait now */
    go = 1;
    if (round % 2) pthread_cond_signal(&condition);
    pthread_cancel(threads[0]);
    if (round % 2 == 0) pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    if (got[0]) {
      pthread_mutex_lock(&mutex);
      go = 1;
      pthread_cond_signal(&condition);
      pthread_mutex_unlock(&mutex);
    }
    pthread_join(threads[1], NULL);
    CHECK(got[1]);
  }
  printf("no signal is lost\n");
}

static void* sleep_long(void* unused) {
  (void)unused;
  sleep(1000);
  return NULL;
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*wait)(void);
    int handlers, passes;
  } waits[] = {{"pthread_cond_wait", in_cond_wait, 2, 0},
               {"pthread_cond_timedwait", in_cond_timedwait, 2, 0},
               {"sem_wait", in_sem_wait, 1, 0},
               {"sem_timedwait", in_sem_timedwait, 1, 0},
               {"pthread_join", in_join, 1, 0},
               {"pthread_timedjoin_np", in_timedjoin, 1, 0},
               {"sleep", in_sleep, 1, 0},
               {"usleep", in_usleep, 1, 0},
               {"nanosleep", in_nanosleep, 1, 0},
               {"clock_nanosleep", in_clock_nanosleep, 1, 0},
               {"a handler that waits", in_a_handler_that_waits, 1, 1},
               {"a wait after being disabled", in_two_waits_after_being_disabled, 1, 1},
               {"sleep, of the asynchronous type", in_sleep_of_the_asynchronous_type, 1, 1},
               {"pthread_mutex_lock, after it", in_mutex_lock, 1, 1}};
#ifndef PLAIN
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#endif
  (void)argc, (void)argv;
  sem_init(&begun, 0, 0);
  sem_init(&never, 0, 0);
  CHECK(pthread_create(&sleeper, NULL, sleep_long, NULL) == 0);
  for (int waiting = 0; waiting < 2; ++waiting) {
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; ++i) {
      cancel(waits[i].name, waits[i].wait, waits[i].handlers, waits[i].passes, waiting);
    }
#ifndef PLAIN
    cancel("MPI_Recv, after it", in_MPI_Recv, 1, 1, 0);
#endif
  }
  CHECK(pthread_cancel(sleeper) == 0);
  void* result = NULL;
  CHECK(pthread_join(sleeper, &result) == 0 && result == PTHREAD_CANCELED);
  signal_and_cancel();
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
