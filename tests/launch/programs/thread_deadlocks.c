// Ranks whose threads and started collectives wait for each other, or only look like it. argv[1] says how.
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, number;
static MPI_Comm world;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static pthread_barrier_t both;
static sem_t posts;
static int ends[2];

static void receive(int tag) {
  MPI_Recv(&number, 1, MPI_INT, (rank + 1) % ranks, tag, world, MPI_STATUS_IGNORE);
}
static void receive_once(void) {
  receive(3);
}
static void pause_ms(int ms) {
  usleep(1000 * ms);
}
static struct timespec after_ms(int ms) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 1000000L * ms;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static void* lock_both(void* other_way) {
  pthread_mutex_lock(other_way != NULL ? &two : &one);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(other_way != NULL ? &one : &two);
  return NULL;
}
static void* wait_for_change(void* nothing) {
  pthread_mutex_lock(&one);
  pthread_cond_wait(&changed, &one);
  pthread_mutex_unlock(&one);
  return nothing;
}
static void* receive_in_thread(void* nothing) {
  receive(1);
  return nothing;
}
static void* come_to_barrier(void* nothing) {
  pthread_barrier_wait(&both);
  return nothing;
}
static void* wait_for_post(void* nothing) {
  sem_wait(&posts);
  return nothing;
}
static void* write_table(void* nothing) {
  pthread_rwlock_wrlock(&table);
  return nothing;
}
static void* first_once(void* nothing) {
  pthread_once(&control, receive_once);
  return nothing;
}
static void* barrier_in_thread(void* nothing) {
  MPI_Barrier(world);
  return nothing;
}

static void* post_later(void* nothing) {
  pause_ms(300);
  sem_post(&posts);
  return nothing;
}
static void* change_later(void* nothing) {
  struct timespec until = after_ms(300);
  sem_timedwait(&posts, &until);
  pthread_mutex_lock(&one);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&one);
  return nothing;
}
static void* read_then_post(void* nothing) {
  char letter;
  if (read(ends[0], &letter, 1) == 1) sem_post(&posts);
  return nothing;
}
static void* poll_then_post(void* nothing) {
  struct pollfd none = {.fd = ends[0], .events = POLLIN};
  if (poll(&none, 1, 300) == 0) sem_post(&posts);
  return nothing;
}
static void* hold_for_a_while(void* nothing) {
  pthread_mutex_lock(&one);
  pthread_barrier_wait(&both);
  pause_ms(300);
  pthread_mutex_unlock(&one);
  return nothing;
}
static void* await_child(void* child) {
  int status;
  if (waitpid((pid_t)(long)child, &status, 0) > 0) sem_post(&posts);
  return NULL;
}
static void post(int signal) {
  (void)signal;
  sem_post(&posts);
}

// A child that does something in 300 ms: writes, posts, or ends.
static pid_t child_later(sem_t* shared) {
  const pid_t child = fork();
  if (child != 0) return child;
  pause_ms(300);
  if (shared != NULL) sem_post(shared);
  _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
}

static pthread_t begin(void* (*function)(void*), void* argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, argument);
  return thread;
}
static void end(pthread_t thread) {
  pthread_join(thread, NULL);
}

// The program gives the stack, so the thread is the kernel's.
static pthread_t begin_in_kernel(void* (*function)(void*)) {
  pthread_t thread;
  pthread_attr_t attributes;
  const size_t bytes = 1 << 20;
  void* stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_create(&thread, &attributes, function, NULL);
  return thread;
}

static int is(const char* what, const char* name) {
  return strcmp(what, name) == 0;
}

static void wait_forever(const char* what) {
  MPI_Request request;
  if (is(what, "locks")) {
    pthread_t other = begin(lock_both, &number);
    lock_both(NULL);
    end(other);
  }
  if (is(what, "lock") && rank == 0) pthread_mutex_lock(&one), pthread_mutex_lock(&one);
  if (is(what, "condition")) {
    pthread_t other = begin(wait_for_change, NULL);
    receive(0);
    end(other);
  }
  if (is(what, "once-waited")) wait_for_change(NULL), puts("went on");
  if (is(what, "join")) end(begin(receive_in_thread, NULL));
  if (is(what, "exit")) begin(receive_in_thread, NULL), pthread_exit(NULL);
  if (is(what, "barrier")) begin(barrier_in_thread, NULL), receive(0);
  if (is(what, "threads")) begin(wait_for_post, NULL), come_to_barrier(NULL);
  if (is(what, "semaphore")) end(begin(wait_for_post, NULL));
  if (is(what, "table")) pthread_rwlock_rdlock(&table), end(begin(write_table, NULL));
  if (is(what, "once")) begin(first_once, NULL), first_once(NULL);
  if (is(what, "ibarrier")) {
    MPI_Ibarrier(world, &request);
    if (rank == 0) receive(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive(0);
  }
  if (is(what, "iallreduce")) {
    int sum;
    if (rank == 0) receive(0);
    MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is(what, "ignored")) {  // an action, but no handler
    signal(SIGUSR1, SIG_IGN);
    sem_wait(&posts);
  }
  if (is(what, "partitions")) {  // a helper waits for the sender
    MPI_Precv_init(&number, 1, 1, MPI_INT, (rank + 1) % ranks, 0, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is(what, "started")) {  // the blocking one comes after the started one
    if (rank == 0) receive(0);
    MPI_Ibcast(&number, 1, MPI_INT, 0, world, &request);
    MPI_Barrier(world);
  }
}

static void look_like_it(const char* what) {
  MPI_Request request;
  sem_t* const shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(shared, 1, 0);
  if (is(what, "sleeper")) begin(post_later, NULL), sem_wait(&posts);
  if (is(what, "timed")) begin(change_later, NULL), wait_for_change(NULL);
  if (is(what, "pipe")) {
    child_later(NULL);
    begin(read_then_post, NULL);
    sem_wait(&posts);
  }
  if (is(what, "poll")) begin(poll_then_post, NULL), sem_wait(&posts);
  if (is(what, "kernel")) begin_in_kernel(post_later), sem_wait(&posts);
  if (is(what, "handler") && rank == 0) {
    signal(SIGALRM, post);
    alarm(1);
    while (sem_wait(&posts) != 0) continue;
  }
  if (is(what, "outside") && rank == 0) {  // a signal from another process
    const pid_t self = getpid();
    signal(SIGUSR1, post);
    if (fork() == 0) {
      pause_ms(300);
      _exit(kill(self, SIGUSR1) != 0);
    }
    while (sem_wait(&posts) != 0) continue;
  }
  if (is(what, "shared")) child_later(shared), sem_wait(shared);
  if (is(what, "holder")) {
    begin(hold_for_a_while, NULL);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&one);
  }
  if (is(what, "child")) begin(await_child, (void*)(long)child_later(NULL)), sem_wait(&posts);
  if (is(what, "late") && rank == 0) pause_ms(300);
  if (is(what, "late")) {
    MPI_Ibarrier(world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is(what, "until")) {
    const struct timespec until = after_ms(300);
    sem_timedwait(&posts, &until);
  }
}

int main(int count, char** arguments) {
  int level;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  pthread_barrier_init(&both, NULL, 2);
  sem_init(&posts, 0, 0);
  if (pipe(ends) != 0) return 3;
  wait_forever(arguments[1]);
  look_like_it(arguments[1]);
  MPI_Barrier(world);
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
