/* System calls that wait, in ranks that share workers.
 *
 *   calls patient     calls with a duration end when it is over, and not with EINTR, though other ranks of
 *                     the worker have news all the time
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char* what) {
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
  exit(1);
}

/* So long that the rank is known to compute. */
static void compute(void) {
  const double until = now() + 0.03;
  while (now() < until) {
    for (volatile int i = 0; i < 100000; ++i) continue;
  }
}

enum { kMilliseconds = 60 };
static const struct timespec kDuration = {0, kMilliseconds * 1000000L};

static int empty[2]; /* two ends of a socket without data */

static int wait_poll(void) {
  struct pollfd wanted = {empty[0], POLLIN, 0};
  return poll(&wanted, 1, kMilliseconds);
}

static int wait_ppoll(void) {
  struct pollfd wanted = {empty[0], POLLIN, 0};
  return ppoll(&wanted, 1, &kDuration, NULL);
}

static int wait_select(void) {
  struct timeval time = {0, kMilliseconds * 1000L};
  fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(empty[0], &wanted);
  return select(empty[0] + 1, &wanted, NULL, NULL, &time);
}

static int wait_pselect(void) {
  fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(empty[0], &wanted);
  return pselect(empty[0] + 1, &wanted, NULL, NULL, &kDuration, NULL);
}

static int wait_epoll(void) {
  struct epoll_event event = {EPOLLIN, {0}};
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, empty[0], &event);
  const int result = epoll_wait(set, &event, 1, kMilliseconds);
  const int error = errno;
  close(set);
  errno = error;
  return result;
}

static int wait_epoll_pwait(void) {
  struct epoll_event event = {EPOLLIN, {0}};
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, empty[0], &event);
  const int result = epoll_pwait(set, &event, 1, kMilliseconds, NULL);
  const int error = errno;
  close(set);
  errno = error;
  return result;
}

/* Those that end with an error. */
static int ended_by(int result, int error) {
  return result == -1 && errno == error ? 0 : -1;
}

static int wait_semaphore(void) {
  static sem_t* semaphore;
  if (semaphore == NULL) {
    semaphore =
        mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(semaphore, 1, 0);
  }
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += kDuration.tv_nsec;
  if (time.tv_nsec >= 1000000000L) ++time.tv_sec, time.tv_nsec -= 1000000000L;
  return ended_by(sem_timedwait(semaphore, &time), ETIMEDOUT);
}

static int wait_semtimedop(void) {
  struct sembuf take = {0, -1, 0};
  const int set = semget(IPC_PRIVATE, 1, 0600);
  const int result = ended_by(semtimedop(set, &take, 1, &kDuration), EAGAIN);
  const int error = errno;
  semctl(set, 0, IPC_RMID);
  errno = error;
  return result;
}

static int wait_recv(void) {
  const struct timeval time = {0, kMilliseconds * 1000L};
  char byte;
  setsockopt(empty[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  return ended_by((int)recv(empty[0], &byte, 1, 0), EAGAIN);
}

static const struct {
  const char* name;
  int (*wait)(void);
} kWaits[] = {{"poll", wait_poll},
              {"ppoll", wait_ppoll},
              {"select", wait_select},
              {"pselect", wait_pselect},
              {"epoll_wait", wait_epoll},
              {"epoll_pwait", wait_epoll_pwait},
              {"sem_timedwait", wait_semaphore},
              {"semtimedop", wait_semtimedop},
              {"recv", wait_recv}};

static void be_patient(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, empty);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < sizeof kWaits / sizeof kWaits[0]; ++i) {
      compute();
      const double began = now();
      if (kWaits[i].wait() != 0) fail(kWaits[i].name);
      if (now() - began < kMilliseconds * 1e-3) fail("too short");
    }
  }
}

/* News for all workers until rank 0 has had enough. */
static void patient(void) {
  int done = 0;
  MPI_Request stop;
  MPI_Comm others;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &others);
  if (rank == 0) {
    be_patient();
    done = 1;
    for (int to = 1; to < size; ++to) MPI_Send(&done, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    return;
  }
  /* Pairs across the workers, however ranks are placed: each one with each other. */
  MPI_Irecv(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &stop);
  int ended = 0, all_ended = 0;
  while (!all_ended) {
    MPI_Test(&stop, &ended, MPI_STATUS_IGNORE);
    MPI_Allreduce(&ended, &all_ended, 1, MPI_INT, MPI_LAND, others);
    for (int step = 1; step < size - 1; ++step) {
      const int me = rank - 1, n = size - 1;
      int token = 0;
      MPI_Sendrecv_replace(&token, 1, MPI_INT, (me + step) % n, 0, (me + n - step) % n, 0, others,
                           MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* use = argc > 1 ? argv[1] : "";
  if (strcmp(use, "patient") == 0) patient();
  MPI_Finalize();
  puts("ok");
  return 0;
}
