/* leave HOW RANK STATUS: RANK leaves as HOW says, the others orderly with 0.
 * HOW: return, exit (both after MPI_Finalize), early (exit before it), outside (before MPI_Init, any rank), abort
 * (MPI_Abort), print (the same after a line without a flush), libc (abort()), assert, segv, frame (one of 64 MiB),
 * never (none calls MPI_Finalize, and RANK prints after the others have ended), half (only RANK does not call it),
 * deep (calls that use 100 MiB of stack). "barrier" in front of nothing: the others wait for RANK in MPI_Barrier. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int* volatile nowhere;

static void use_frame(void) {
  volatile char frame[64 << 20];
  frame[0] = 1;
}

static int use_stack(int mebibytes) {
  volatile char frame[1 << 20];
  frame[0] = 1;
  return mebibytes > 1 ? use_stack(mebibytes - 1) + frame[0] : 0;
}

int main(int argc, char** argv) {
  int rank;
  const char* how = argv[1];
  const int who = atoi(argv[2]);
  const int status = argc > 3 ? atoi(argv[3]) : 0;
  if (!strcmp(how, "outside")) return status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == who) {
    if (!strcmp(how, "early")) exit(status);
    if (!strcmp(how, "print")) puts("printed before");
    if (!strcmp(how, "abort") || !strcmp(how, "print")) MPI_Abort(MPI_COMM_WORLD, status);
    if (!strcmp(how, "libc")) abort();
    if (!strcmp(how, "assert")) assert(rank != who);
    if (!strcmp(how, "frame")) use_frame();
    if (!strcmp(how, "deep")) use_stack(100);
    if (!strcmp(how, "segv")) *nowhere = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(how, "half") && rank == who) return 0;
  if (!strcmp(how, "never")) {
    if (rank == who) usleep(100000), puts("last");
    return 0;
  }
  MPI_Finalize();
  if (rank == who && !strcmp(how, "exit")) exit(status);
  return rank == who ? status : 0;
}
