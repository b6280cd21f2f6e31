/* Each rank adds rows to one SQLite database; all of them are there in the end. */
#include <mpi.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kRows = 25 };

static void run(sqlite3* base, const char* command) {
  char* error = NULL;
  if (sqlite3_exec(base, command, NULL, NULL, &error) == SQLITE_OK) return;
  printf("%s: %s\n", command, error);
  exit(1);
}

static int print(void* unused, int count, char** values, char** names) {
  (void)unused, (void)count, (void)names;
  printf("%s rows\n", values[0]);
  return 0;
}

int main(int argc, char** argv) {
  int rank;
  sqlite3* base = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    unlink("rows.db");
    sqlite3_open("rows.db", &base);
    run(base, argv[1]);
    run(base, "create table t (r integer, i integer)");
    sqlite3_close(base);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (sqlite3_open("rows.db", &base) != SQLITE_OK) return 1;
  sqlite3_busy_timeout(base, 60000);
  run(base, "pragma synchronous = off");
  for (int i = 0; i < kRows; ++i) {
    char command[96];
    snprintf(command, sizeof command, "insert into t values (%d, %d)", rank, i);
    run(base, command);
  }
  sqlite3_close(base);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    sqlite3_open("rows.db", &base);
    sqlite3_exec(base, "select count(*) from (select distinct r, i from t)", print, NULL, NULL);
    sqlite3_close(base);
  }
  MPI_Finalize();
  return 0;
}
