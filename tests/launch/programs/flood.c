/* flood HOW: rank 0 prints for ever, a rank 2 on the standard error; meanwhile rank 1 ends the job: HOW is
 * abort (MPI_Abort), segv, or stay (somebody else ends it). Or HOW is line: the one rank has printed 60000
 * bytes of a line when it calls MPI_Abort. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int* volatile nowhere;

int main(int argc, char** argv) {
  int rank;
  const char* how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(how, "line")) {
    for (int i = 0; i < 60000; i++) putchar('x');
    MPI_Abort(MPI_COMM_WORLD, 23);
  }
  while (rank == 0) puts("a line of rank 0");
  while (rank > 1) {
    fputs(".\n", stderr);
    usleep(10000);
  }
  usleep(200000);
  fputs("rank 1 has begun a line", stdout);
  fflush(stdout);
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 23);
  if (!strcmp(how, "segv")) *nowhere = 1;
  for (;;) sleep(1);
}
