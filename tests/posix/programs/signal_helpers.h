/* What the programs about signals share. Each is one file, and a process of its own with -DPLAIN. */
#ifndef PLAIN
#include <mpi.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static int rank;
static const char* chosen; /* by the first argument of the program */
static volatile sig_atomic_t seen, last;

static void set(int signal, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, NULL);
}

static void meet(void) {
#ifndef PLAIN
  MPI_Barrier(MPI_COMM_WORLD);
#endif
}

static void count(int signal) {
  ++seen;
  last = signal;
}
static void tell(const char* call, int result, int error) {
  printf("%s %d %d\n", call, result, error);
}

static void soon(void) {
  const struct itimerval once = {{0, 0}, {0, 100000}};
  setitimer(ITIMER_REAL, &once, NULL);
}

typedef struct {
  const char* name;
  void (*function)(void);
} Use;

/* main() of such a program: calls the use that the first argument names. */
static int run_use(int argc, char** argv, const Use* uses, size_t count) {
  chosen = argc > 1 ? argv[1] : "";
#ifndef PLAIN
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  for (size_t i = 0; i < count; ++i)
    if (strcmp(chosen, uses[i].name) == 0) uses[i].function();
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
