// Rank 0 traces a child, which stops late, goes on when it is told to, stops again, and ends.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void stop_late(void) {
  usleep(200 * 1000);
  raise(SIGSTOP);
}

int main(int count, char** arguments) {
  int rank, status = 0, wrong = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const pid_t child = fork();
    if (child == 0) {
      ptrace(PTRACE_TRACEME, 0, NULL, NULL);
      stop_late();
      stop_late();
      _exit(7);
    }
    for (int stops = 0; stops < 2; ++stops) {
      if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) wrong = 1;
      if (ptrace(PTRACE_CONT, child, NULL, NULL) != 0) wrong = 2;
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
      wrong = 3;
  }
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && wrong == 0) puts("done");
  return wrong;
}
