// Rank 0 makes a task by clone that ends its wait later, the others wait for a message. argv[1] says what the task is, argv[2] what it
// does. With "nothing" it only ends, so that all wait for ever when it has gone.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
  const char* name;
  int flags;
} kinds[] = {
    {"thread", CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM},
    {"process", CLONE_VM | SIGCHLD},
};

static sem_t posts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static atomic_int word;
static pid_t task;

static int is(const char* what, const char* name) {
  return strcmp(what, name) == 0;
}

static int act_later(void* argument) {
  const char* const what = argument;
  const struct timespec later = {.tv_nsec = 300 * 1000 * 1000};
  syscall(SYS_nanosleep, &later, NULL);
  if (is(what, "post")) sem_post(&posts);
  if (is(what, "unlock")) pthread_mutex_unlock(&lock);
  if (is(what, "signal")) {
    pthread_mutex_lock(&lock);
    word = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  if (is(what, "meet")) pthread_barrier_wait(&both);
  if (is(what, "futex") || is(what, "private")) {
    word = 1;
    syscall(SYS_futex, &word, is(what, "futex") ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
            0);
  }
  if (is(what, "exit")) syscall(SYS_exit, 0);
  return 0;
}

static void wait_for(const char* what) {
  if (is(what, "post")) {
    while (sem_wait(&posts) != 0) continue;
  }
  if (is(what, "unlock")) pthread_mutex_lock(&lock);
  if (is(what, "signal")) {
    pthread_mutex_lock(&lock);
    while (word == 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
  }
  if (is(what, "meet")) pthread_barrier_wait(&both);
  if (is(what, "futex")) {
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  }
  if (is(what, "private")) {
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  // The kernel writes 0 and wakes the waiter.
  for (int id; is(what, "exit") && (id = *(volatile pid_t*)&task) != 0;) {
    syscall(SYS_futex, &task, FUTEX_WAIT, id, NULL, NULL, 0);
  }
  if (is(what, "nothing")) sem_wait(&posts);
}

static void make_task(const char* kind, char* what) {
  const size_t bytes = 1 << 20;
  char* const stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (!is(kinds[i].name, kind)) continue;
    const int flags = is(what, "exit") ? CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID : 0;
    if (is(what, "unlock")) pthread_mutex_lock(&lock);
    const int made =
        clone(act_later, stack + bytes, kinds[i].flags | flags, what, &task, NULL, &task);
    if (made < 0) perror("clone"), MPI_Abort(MPI_COMM_WORLD, 3);
    wait_for(what);
    int status = 0;
    if (!is(kind, "thread") && (waitpid(made, &status, 0) != made || status != 0)) exit(4);
  }
}

int main(int count, char** arguments) {
  int rank, ranks, message = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sem_init(&posts, 0, 0);
  pthread_barrier_init(&both, NULL, 2);
  if (rank != 0) {
    MPI_Recv(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    make_task(arguments[1], arguments[2]);
    for (int i = 1; i < ranks; ++i) MPI_Send(&message, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    puts("done");
  }
  MPI_Finalize();
  return 0;
}
