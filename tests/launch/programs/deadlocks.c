// Ranks that wait for each other, or only look like it. argv[1] says how.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int rank, ranks, number;
static MPI_Comm world;

static void receive(int from, int tag) {
  MPI_Recv(&number, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE);
}
static void send(int to, int tag) {
  MPI_Send(&number, 1, MPI_INT, to, tag, world);
}

static void on_alarm(int signal) {
  (void)signal;
  static const char text[] = "alarm\n";
  _exit(write(1, text, sizeof text - 1) < 0);
}

static void* send_later(void* nothing) {
  usleep(300000);
  send(rank, 5);
  return nothing;
}

// The kernel returns from a handler through this.
__asm__("return_from_handler: mov $15, %eax\n\tsyscall");
void return_from_handler(void);

static void on_raw_alarm(int signal) {
  (void)signal;
  syscall(SYS_write, 1, "alarm\n", 6);
  syscall(SYS_exit_group, 7);
}

// As a library could do it that does not ask libc.
static void set_action_by_number(void) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } raw = {on_raw_alarm, 0x04000000, return_from_handler, 0};
  const struct itimerval once = {{0, 0}, {0, 300000}};
  syscall(SYS_rt_sigaction, SIGALRM, &raw, NULL, 8);
  syscall(SYS_setitimer, ITIMER_REAL, &once, NULL);
}

static void wait_for_any(void) {
  MPI_Request requests[2];
  int which;
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&number, 1, MPI_INT, (rank + 1) % ranks, i, world, &requests[i]);
  MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
}

// A thread of each rank sends what its main strand waits for.
static void from_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, send_later, NULL);
  receive(rank, 5);
  pthread_join(thread, NULL);
}

// Rank 0 reads what comes from outside: then it sends.
static void after_input(void) {
  char letter;
  if (rank == 0) {
    if (read(0, &letter, 1) != 1) _exit(3);
    for (int to = 1; to < ranks; ++to) send(to, 0);
  } else {
    receive(0, 0);
  }
}

// Rank 0 waits for the lock of a file, which a child has for a while: then it sends.
static void after_file_lock(void) {
  char path[] = "/tmp/heddle-deadlocks-XXXXXX", letter;
  int ends[2];
  if (rank != 0) return receive(0, 0);
  const int file = mkstemp(path);
  if (file < 0 || pipe(ends) != 0) _exit(3);
  if (fork() == 0) {
    if (flock(open(path, O_RDWR), LOCK_EX) != 0 || write(ends[1], "x", 1) != 1) _exit(3);
    usleep(300000);
    _exit(0);
  }
  if (read(ends[0], &letter, 1) != 1 || flock(file, LOCK_EX) != 0) _exit(3);
  unlink(path);
  for (int to = 1; to < ranks; ++to) send(to, 0);
}

// Rank 0 reads what comes from outside: the others are in a collective meanwhile.
static void root_after_input(void) {
  char letter;
  if (rank == 0 && read(0, &letter, 1) != 1) _exit(3);
  MPI_Bcast(&number, 1, MPI_INT, 0, world);
}

// Longer than the others wait before they ask what it does.
static void compute(void) {
  const double end = MPI_Wtime() + 1.5;
  if (rank == ranks - 1) {
    while (MPI_Wtime() < end) {
    }
  }
  MPI_Barrier(world);
  number = rank;
  MPI_Bcast(&number, 1, MPI_INT, ranks - 1, world);
  if (number != ranks - 1) _exit(4);
}

// A thread of the last rank sends what its main strand waits for, and the others are in a collective meanwhile.
static void helped(void) {
  if (rank == ranks - 1) from_thread();
  MPI_Barrier(world);
}

// Each wait is long enough to be told to the other hosts, which then takes twice as long for the next one.
static void wait_ever_longer(void) {
  for (int ms = 400; ms <= 3200; ms *= 2) {
    if (rank == 0) usleep(1000 * ms);
    for (int to = 1; rank == 0 && to < ranks; ++to) send(to, 1);
    if (rank != 0) receive(0, 1);
  }
  receive((rank + 1) % ranks, 0);
}

static void act(const char* what) {
  static char large[1 << 22];
  MPI_Request request;
#define IS(name) (strcmp(what, name) == 0)
  if (IS("receives")) receive((rank + 1) % ranks, 0);
  if (IS("any")) receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
  if (IS("tag") && rank == 0) send(1, 1), receive(1, 0);
  if (IS("tag") && rank == 1) receive(0, 2);
  if (IS("barrier") && rank != 0) MPI_Barrier(world);
  if (IS("barrier") && rank == 0) receive(1, 0);
  if (IS("gone") && rank == 0) MPI_Barrier(world);  // the others' MPI_Finalize is its partner
  if (IS("bcast") && rank != 0) MPI_Bcast(&number, 1, MPI_INT, 0, world);
  if (IS("bcast") && rank == 0) receive(1, 0);
  if (IS("root") && rank != ranks - 1) MPI_Bcast(&number, 1, MPI_INT, ranks - 1, world);
  if (IS("root") && rank == ranks - 1) receive(0, 0);
  if (IS("sends")) MPI_Ssend(&number, 1, MPI_INT, (rank + 1) % ranks, 0, world);
  if (IS("large")) MPI_Send(large, sizeof large, MPI_BYTE, (rank + 1) % ranks, 0, world);
  if (IS("wait"))
    MPI_Irecv(&number, 1, MPI_INT, rank, 0, world, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (IS("waitany")) wait_for_any();
  if (IS("probe")) MPI_Probe((rank + 1) % ranks, 3, world, MPI_STATUS_IGNORE);
  if (IS("finalize") && rank == 0) receive(1, 0);
  if (IS("longer")) wait_ever_longer();
  if (IS("handler")) {  // it can end no wait in MPI
    signal(SIGUSR1, on_alarm);
    signal(SIGPIPE, SIG_IGN);
    receive((rank + 1) % ranks, 0);
  }

  if (IS("differ") && rank == 0) MPI_Bcast(&number, 1, MPI_INT, ranks - 1, world);
  if (IS("differ") && rank != 0) MPI_Barrier(world);
  if (IS("compute")) compute();
  if (IS("helped")) helped();
  if (IS("input")) after_input();
  if (IS("file_lock")) after_file_lock();
  if (IS("root_input")) root_after_input();
  if (IS("sleep") && rank == 0) usleep(300000);
  if (IS("sleep")) MPI_Barrier(world);
  if (IS("poll") && rank == 0) usleep(200000), send(1, 0);
  if (IS("poll") && rank == 1) receive(0, 0);
  if (IS("alarm")) {
    signal(SIGALRM, on_alarm);
    if (rank == 0) alarm(1);
    receive((rank + 1) % ranks, 0);
  }
  if (IS("raw")) {
    if (rank == 0) set_action_by_number();
    MPI_Barrier(world);
    receive((rank + 1) % ranks, 0);
  }
  if (IS("thread")) from_thread();
  if (IS("ring")) {
    for (int i = 0; i < 4000; ++i) {
      if (rank != 0) receive(rank - 1, 0);
      send((rank + 1) % ranks, 0);
      if (rank == 0) receive(ranks - 1, 0);
    }
  }
}

int main(int count, char** arguments) {
  int level;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  act(arguments[1]);
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
