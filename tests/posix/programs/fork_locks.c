// A rank forks while another of its threads is in functions for which libheddle_libc.so or exec/process/threads has locks. In the child only
// the thread that forked goes on: it must find all of them free.
//
//   fork_locks KIND   what the other thread and the child do
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kForks = 40, kPatience = 60 };

static atomic_int ends;

static void use_environment(void) {
  setenv("HEDDLE_LOCKED", "1", 0);
  getenv("HEDDLE_LOCKED");
}
static void draw(void) {
  srandom(1);
  random();
  drand48();
}
static void use_files(void) {
  fclose(fopen("/dev/null", "w"));
}
static void register_handlers(void) {
  static atomic_int registered;
  if (atomic_fetch_add(&registered, 1) < 100000) atexit(draw);
}
static void ask_for_name(void) {
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  fclose(fopen("/proc/self/comm", "r"));
}
static void look_for_children(void) {
  siginfo_t info;  // they stay
  waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}
static void close_pipes(void) {
  static FILE* file;  // pclose looks for it among the pipes
  if (file == NULL) file = fopen("/dev/null", "w");
  fclose(fdopen(dup(fileno(file)), "w"));
}
static void wait_for_condition(void) {
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;  // of all threads
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const struct timespec over = {1, 0};
  pthread_cond_signal(&condition);
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &over);
  pthread_mutex_unlock(&mutex);
}
static void* end_at_once(void* unused) {
  return unused;
}
static void make_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_at_once, NULL);
  pthread_join(thread, NULL);
}
static void change_mask(void) {
  umask(022);
}

static const struct {
  const char* name;
  void (*run)(void);
} kKinds[] = {
    {"environment", use_environment}, {"random", draw},       {"files", use_files},
    {"handlers", register_handlers},  {"name", ask_for_name}, {"children", look_for_children},
    {"pipes", close_pipes},           {"mask", change_mask},  {"condition", wait_for_condition},
    {"threads", make_thread}};

static void (*run)(void);

static void* go_on(void* unused) {
  while (!atomic_load(&ends)) run();
  return unused;
}

static int be_a_child(void) {
  alarm(kPatience);
  for (int i = 0; i < 10; ++i) run();
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &(int){0});
  for (size_t i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
    if (argc > 1 && strcmp(argv[1], kKinds[i].name) == 0) run = kKinds[i].run;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, go_on, NULL);
  int failed = 0;
  for (int i = 0; i < kForks && failed == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(be_a_child());
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) failed = status;
  }
  atomic_store(&ends, 1);
  pthread_join(thread, NULL);
  printf(failed == 0 ? "ok\n" : "a child ended with %d\n", failed);
  fflush(stdout);
  MPI_Finalize();
  _exit(0);
}
