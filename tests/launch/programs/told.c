/* Every rank hears of a signal that comes from outside of the job. Each writes whole lines by write(2). */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t told = 0;

static void note(int signal) {
  (void)signal;
  told = 1;
}

int main(int argc, char** argv) {
  const int number = argc > 1 && strcmp(argv[1], "terminate") == 0 ? SIGTERM : SIGUSR1;
  int rank;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, number);
  if (rank % 2 != 0) sigprocmask(SIG_BLOCK, &blocked, NULL);
  signal(number, note);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) (void)!write(1, "ready\n", 6);
  if (rank % 2 == 0) {
    while (!told) continue;
  } else {
    while (!told) sigsuspend(&none);
  }
  (void)!write(1, "told\n", 5);
  MPI_Finalize();
  return 0;
}
