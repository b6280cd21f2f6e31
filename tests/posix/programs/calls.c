/* System calls that wait, in ranks that share workers.
 *
 *   calls patient     calls with a duration end when it is over, and not with EINTR, though other ranks of
 *                     the worker have news all the time
 *   calls fifo        a token goes around through fifos, read by read()
 *   calls open        a token goes around through fifos that are opened for each round: each waits for the other end
 *   calls stream      the same, read by fgets, which waits inside libc
 *   calls raw         the same, read by a system call in the program's own code
 *   calls socket      the same through sockets that are listened to, connected, accepted
 *   calls semaphore   the same by named semaphores
 *   calls poll        the same through fifos, with a poll that has no end
 *   calls flock       each rank sleeps while it has the lock that all others wait for
 *   calls epoll       a thread of each rank waits in epoll_wait until the main strand, after messages,
 *                     writes to its eventfd
 *   calls child       each rank waits for a child that waits for a later rank
 *   calls durations   a call that lasts longer than it takes to go away still ends in time, and errno,
 *                     the directory and the numbers of the rank are its own afterwards
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
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

enum { kRounds = 5 };

/* Every rank's token comes in by its own fifo and goes out by the next one's. */
static const char* name_of(const char* kind, int of) {
  static char name[64];
  snprintf(name, sizeof name, "%s.%d", kind, of);
  return name;
}

static int next_rank(void) {
  return (rank + 1) % size;
}

static ssize_t read_plain(int from, char* byte) {
  return read(from, byte, 1);
}

static ssize_t read_raw(int from, char* byte) {
  ssize_t result = SYS_read;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"((long)from), "S"(byte), "d"(1L)
                   : "rcx", "r11", "memory");
  return result;
}

static ssize_t read_when_polled(int from, char* byte) {
  struct pollfd wanted = {from, POLLIN, 0};
  if (poll(&wanted, 1, -1) != 1) fail("poll");
  return read(from, byte, 1);
}

/* By each of the calls with a mask of signals in turn. */
static ssize_t read_when_masked(int from, char* byte) {
  static int turn;
  const struct timespec long_time = {1000, 0};
  struct pollfd wanted = {from, POLLIN, 0};
  struct epoll_event event = {EPOLLIN, {0}};
  fd_set set;
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  FD_ZERO(&set);
  FD_SET(from, &set);
  const int poller = epoll_create1(0);
  epoll_ctl(poller, EPOLL_CTL_ADD, from, &event);
  int ready = 0;
  switch (turn++ % 4) {
    case 0:
      ready = ppoll(&wanted, 1, NULL, &mask);
      break;
    case 1:
      ready = pselect(from + 1, &set, NULL, NULL, &long_time, &mask);
      break;
    case 2:
      ready = epoll_pwait(poller, &event, 1, -1, &mask);
      break;
    default:
      ready = epoll_pwait2(poller, &event, 1, &long_time, &mask);
  }
  if (ready != 1) fail("wait with a mask");
  close(poller);
  return read(from, byte, 1);
}

static ssize_t read_stream(int from, char* byte) {
  static FILE* stream;
  char line[8];
  if (stream == NULL) stream = fdopen(from, "r");
  if (fgets(line, sizeof line, stream) == NULL) return -1;
  *byte = line[0];
  return 1;
}

static void pass_token(ssize_t (*receive)(int, char*)) {
  if (mkfifo(name_of("fifo", rank), 0600) != 0) fail("mkfifo");
  MPI_Barrier(MPI_COMM_WORLD);
  /* For reading and writing: so that opening waits for no other rank. */
  const int in = open(name_of("fifo", rank), O_RDWR);
  const int out = open(name_of("fifo", next_rank()), O_RDWR);
  if (in < 0 || out < 0) fail("open");
  char token = 'a';
  for (int round = 0; round < kRounds; ++round) {
    if (rank == 0 && write(out, "a\n", 2) != 2) fail("write");
    do {
      if (receive(in, &token) != 1) fail("read");
    } while (token == '\n');
    if (token != 'a') fail("token");
    if (rank != 0 && write(out, "a\n", 2) != 2) fail("write");
  }
  unlink(name_of("fifo", rank));
}

/* From a directory of its own, for which the other ranks of its worker have others. */
static int open_end(const char* name, int writes) {
  return open(name, writes ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0600);
}

/* In each mode that waits. */
static FILE* stream;
static int open_stream(const char* name, int writes) {
  static int turn;
  const char* const modes[] = {"r", "w", "re", "a", "rb", "wb"};
  stream = fopen(name, modes[turn % 6 / 2 * 2 + writes]);
  ++turn;
  if (stream == NULL) return -1;
  const int end = dup(fileno(stream));
  const int flags = fcntl(fileno(stream), F_GETFL);
  if ((flags & O_ACCMODE) != (writes ? O_WRONLY : O_RDONLY)) fail("access mode");
  fclose(stream);
  return end;
}

static void pass_by_opening(int (*open_one)(const char*, int)) {
  if (mkfifo(name_of("opened", rank), 0600) != 0) fail("mkfifo");
  const char* path = name_of("opener", rank);
  if (mkdir(path, 0700) != 0 || chdir(path) != 0) fail("directory");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < kRounds; ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      const int writes = turn == (rank == 0 ? 0 : 1);
      char token = 'a', name[80];
      snprintf(name, sizeof name, "../%s", name_of("opened", writes ? next_rank() : rank));
      errno = rank;
      const int end = open_one(name, writes);
      if (end < 0) fail("open");
      if (errno != rank) fail("errno");
      if ((writes ? write(end, &token, 1) : read(end, &token, 1)) != 1 || token != 'a')
        fail("token");
      close(end);
    }
  }
  if (chdir("..") != 0) fail("chdir");
  rmdir(name_of("opener", rank));
  unlink(name_of("opened", rank));
}

static struct sockaddr_un address_of(int of) {
  struct sockaddr_un address = {AF_UNIX, ""};
  snprintf(address.sun_path, sizeof address.sun_path, "socket.%d", of);
  return address;
}

static void pass_by_sockets(void) {
  struct sockaddr_un address = address_of(rank);
  unlink(address.sun_path);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 4) != 0)
    fail("listen");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < kRounds; ++round) {
    char token = 'a';
    for (int turn = 0; turn < 2; ++turn) {
      if ((rank == 0) == (turn == 0)) { /* rank 0 sends first */
        address = address_of(next_rank());
        const int out = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(out, (struct sockaddr*)&address, sizeof address) != 0) fail("connect");
        if (send(out, &token, 1, 0) != 1) fail("send");
        close(out);
      } else {
        const int in = accept(listener, NULL, NULL);
        if (in < 0) fail("accept");
        if (recv(in, &token, 1, 0) != 1 || token != 'a') fail("recv");
        close(in);
      }
    }
  }
  unlink(address_of(rank).sun_path);
}

static sem_t* open_semaphore(int of) {
  char name[64];
  int job = (int)getpid();
  MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/calls.%d.%d", job, of);
  sem_t* semaphore = sem_open(name, O_CREAT, 0600, 0);
  if (semaphore == SEM_FAILED) fail("sem_open");
  MPI_Barrier(MPI_COMM_WORLD);
  if (of == rank) sem_unlink(name);
  return semaphore;
}

static void pass_by_semaphores(void) {
  sem_t* out = open_semaphore(next_rank());
  sem_t* in = open_semaphore(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < kRounds; ++round) {
    if (rank == 0) sem_post(out);
    if (sem_wait(in) != 0) fail("sem_wait");
    if (rank != 0) sem_post(out);
  }
}

/* All wait for one who sleeps, and so lets others run, with the lock. */
static void lock_file(void) {
  const int file = open("lock", O_RDWR | O_CREAT, 0600);
  for (int round = 0; round < kRounds; ++round) {
    if (flock(file, LOCK_EX) != 0) fail("flock");
    const struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
    flock(file, LOCK_UN);
  }
}

static void* wait_for_event(void* event_file) {
  struct epoll_event event = {EPOLLIN, {0}};
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, *(int*)event_file, &event);
  if (epoll_wait(set, &event, 1, -1) != 1) fail("epoll_wait");
  return NULL;
}

static void wait_with_helper(void) {
  pthread_t helper;
  int event_file = eventfd(0, 0), token = rank;
  pthread_create(&helper, NULL, wait_for_event, &event_file);
  for (int i = 0; i < size; ++i) {
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next_rank(), 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (token != rank) fail("messages");
  if (eventfd_write(event_file, 1) != 0) fail("eventfd_write");
  pthread_join(helper, NULL);
}

/* The child of a rank ends when the next rank says so. Rank 0 says it before it waits for its own. */
static void wait_for_child(void) {
  if (mkfifo(name_of("fifo", rank), 0600) != 0) fail("mkfifo");
  MPI_Barrier(MPI_COMM_WORLD);
  const int in = open(name_of("fifo", rank), O_RDWR);
  const int out = open(name_of("fifo", (rank + size - 1) % size), O_RDWR);
  char byte;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(read(in, &byte, 1) == 1 ? 5 : 6);
  if (rank == 0 && write(out, "a", 1) != 1) fail("write");
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
    fail("waitpid");
  if (rank != 0 && write(out, "a", 1) != 1) fail("write");
  unlink(name_of("fifo", rank));
}

static void last_long(void) {
  char path[64], here[64];
  snprintf(path, sizeof path, "directory.%d", rank);
  mkdir(path, 0700);
  if (chdir(path) != 0) fail("chdir");
  socketpair(AF_UNIX, SOCK_STREAM, 0, empty);
  for (size_t i = 0; i < sizeof kWaits / sizeof kWaits[0]; ++i) {
    errno = 1000 + rank;
    const double half = 0.5 * (rank + 1), began = now();
    if (kWaits[i].wait() != 0) fail(kWaits[i].name);
    if (now() - began < kMilliseconds * 1e-3) fail("too short");
    if (half * 2 != rank + 1) fail("numbers");
    if (getcwd(here, sizeof here) == NULL && errno != ERANGE) fail("getcwd");
    struct stat one, other;
    char above[80];
    snprintf(above, sizeof above, "../%s", path);
    if (stat(".", &one) != 0 || stat(above, &other) != 0 || one.st_ino != other.st_ino)
      fail("directory");
    int token = rank;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next_rank(), 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (chdir("..") != 0) fail("chdir");
  rmdir(path);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* use = argc > 1 ? argv[1] : "";
  if (strcmp(use, "patient") == 0) patient();
  if (strcmp(use, "fifo") == 0) pass_token(read_plain);
  if (strcmp(use, "open") == 0) pass_by_opening(open_end);
  if (strcmp(use, "fopen") == 0) pass_by_opening(open_stream);
  if (strcmp(use, "stream") == 0) pass_token(read_stream);
  if (strcmp(use, "raw") == 0) pass_token(read_raw);
  if (strcmp(use, "poll") == 0) pass_token(read_when_polled);
  if (strcmp(use, "masked") == 0) pass_token(read_when_masked);
  if (strcmp(use, "socket") == 0) pass_by_sockets();
  if (strcmp(use, "semaphore") == 0) pass_by_semaphores();
  if (strcmp(use, "flock") == 0) lock_file();
  if (strcmp(use, "epoll") == 0) wait_with_helper();
  if (strcmp(use, "child") == 0) wait_for_child();
  if (strcmp(use, "durations") == 0) last_long();
  MPI_Finalize();
  puts("ok");
  return 0;
}
