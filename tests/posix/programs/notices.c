/* SIGEV_THREAD's functions run in threads of the rank that asked: each writes what it finds, which a process of its own finds as
   well. Timers that are still armed at the end are no harm. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

static int rank, notices, ticks;

/* Which rank the calling strand belongs to. */
static int rank_here(void) {
  int found = 0;
#ifndef PLAIN
  MPI_Comm_rank(MPI_COMM_WORLD, &found);
#endif
  return found;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;

static void add_to(int* count) {
  pthread_mutex_lock(&mutex);
  ++*count;
  pthread_cond_broadcast(&told);
  pthread_mutex_unlock(&mutex);
}

static void await(const int* count, int wanted) {
  pthread_mutex_lock(&mutex);
  while (*count < wanted) pthread_cond_wait(&told, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void notified(union sigval what) {
  char here[100];
  printf("%s: in %s, of the rank %d, of its own %d\n", (const char*)what.sival_ptr,
         getcwd(here, sizeof here), rank_here() == rank, getenv("NOTICES") != NULL);
  fflush(stdout);
  add_to(&notices);
}

static void ticked(union sigval what) {
  add_to(what.sival_ptr);
}

static timer_t begin_timer(struct sigevent* event, long first_ns, long interval_ns) {
  const struct itimerspec times = {{0, interval_ns}, {0, first_ns}};
  timer_t made;
  if (timer_create(CLOCK_MONOTONIC, event, &made) != 0) abort();
  timer_settime(made, 0, &times, NULL);
  return made;
}

int main(int argc, char** argv) {
  int queues = 0;
  char name[64], byte;
#ifndef PLAIN
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#endif
  rank = rank_here();
  chdir("/usr");
  setenv("NOTICES", "1", 1);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified};

  event.sigev_value.sival_ptr = "a timer";
  const timer_t once = begin_timer(&event, 1000000, 0);
  await(&notices, 1);
  timer_delete(once);

  event.sigev_value.sival_ptr = "aio";
  struct aiocb request = {
      .aio_fildes = open("/dev/null", O_RDONLY), .aio_buf = &byte, .aio_nbytes = 1};
  request.aio_sigevent = event;
  for (int i = 2; i <= 3; ++i) {  // the second time as the first has left it
    aio_read(&request);
    await(&notices, i);
    aio_return(&request);
  }
  struct aiocb* const list[] = {&request};
  event.sigev_value.sival_ptr = "a list";
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  lio_listio(LIO_NOWAIT, list, 1, &event);
  await(&notices, 4);

  event.sigev_value.sival_ptr = "a queue";
  struct mq_attr size = {.mq_maxmsg = 2, .mq_msgsize = 8};
  snprintf(name, sizeof name, "/notices.%d.%d", (int)getpid(), rank);
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &size);
  queues = mq_notify(queue, &event);
  mq_send(queue, "x", 1, 0);
  await(&notices, 5);
  mq_unlink(name);

  event.sigev_value.sival_ptr = "an address";
  struct gaicb wanted = {.ar_name = "127.0.0.1"}, *const wants[] = {&wanted};
  getaddrinfo_a(GAI_NOWAIT, (struct gaicb**)wants, 1, &event);
  await(&notices, 6);

  event.sigev_notify_function = ticked;
  event.sigev_value.sival_ptr = &ticks;
  begin_timer(&event, 1000000, 1000000);
#ifndef PLAIN
  MPI_Finalize();
#endif
  await(&ticks, 1 + 20 * rank);
  return queues;
}
