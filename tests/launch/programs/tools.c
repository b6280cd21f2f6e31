// Uses the tools interface before MPI_Init, between, and after MPI_Finalize; says what it counted.
#include <mpi.h>
#include <stdio.h>

static void must(int code, const char* what) {
  if (code != MPI_SUCCESS) printf("%s gave %d\n", what, code);
}

int main(void) {
  int provided, index, count, done;
  double seconds;
  unsigned long long cycles, comms;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle, timer, level;
  const int opened = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (opened != MPI_SUCCESS) {
    printf("MPI_T_init_thread gave %d\n", opened);
    return 0;
  }
  MPI_Initialized(&done);
  printf("initialized %d\n", done);
  must(MPI_T_pvar_session_create(&session), "session_create");
  must(MPI_T_pvar_get_index("collector_cycles", MPI_T_PVAR_CLASS_COUNTER, &index), "get_index");
  must(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), "handle_alloc");
  must(MPI_T_pvar_get_index("collector_time", MPI_T_PVAR_CLASS_TIMER, &index), "get_index");
  must(MPI_T_pvar_handle_alloc(session, index, NULL, &timer, &count), "handle_alloc");
  must(MPI_T_pvar_get_index("live_communicators", MPI_T_PVAR_CLASS_LEVEL, &index), "get_index");
  must(MPI_T_pvar_handle_alloc(session, index, NULL, &level, &count), "handle_alloc");
  must(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), "start");

  MPI_Init(NULL, NULL);
  MPI_Comm comm;
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  must(MPI_T_pvar_read(session, level, &comms), "read");
  printf("communicators %llu\n", comms);
  MPI_Comm_free(&comm);
  MPI_Finalize();

  must(MPI_T_pvar_read(session, handle, &cycles), "read");
  must(MPI_T_pvar_read(session, timer, &seconds), "read");
  printf("cycles %s, time %s\n", cycles > 10 ? "many" : "few", seconds > 0 ? "some" : "none");
  must(MPI_T_pvar_session_free(&session), "session_free");
  must(MPI_T_finalize(), "finalize");
  printf("closed %d\n", MPI_T_cvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
  return 0;
}
