/* Ranks whose loads are uneven: rank 0 has four times the work. They go on until the job has moved a rank, and say so. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

static void work(int units) {
  for (int i = 0; i < units * 200000; ++i) sink = sink * 0.999 + i;
}

/* Of the calling rank. */
static unsigned long long moves(void) {
  static MPI_T_pvar_session session;
  static MPI_T_pvar_handle handle;
  static int opened;
  unsigned long long value = 0;
  if (!opened) {
    int provided, index, count;
    opened = 1;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_index("rank_moves", MPI_T_PVAR_CLASS_COUNTER, &index);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_start(session, handle);
  }
  MPI_T_pvar_read(session, handle, &value);
  return value;
}

/* uneven [STEPS]: ends after so many steps at the latest; default: never. */
int main(int argc, char** argv) {
  const long most = argc > 1 ? atol(argv[1]) : -1;
  unsigned long long sum = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  moves();
  for (long step = 0; sum == 0 && step != most; ++step) {
    work(rank == 0 ? 4 : 1);
    unsigned long long mine = moves();
    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf(sum > 0 ? "moved\n" : "stayed\n");
  MPI_Finalize();
  return 0;
}
