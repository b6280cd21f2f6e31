// Sessions without MPI_Init: opened and closed twice, one after the other and two at once, and communicators of the world.
// "sessions late": the same before MPI_Init, and one that stays open after MPI_Finalize. "sessions after": the same after
// MPI_Finalize; prints the error if there may be none then. "sessions fail N": rank N ends with status 3 in one; "sessions fail N
// after": in one that is opened after MPI_Finalize. "sessions fail N
// before": in one that is opened before it, and stays open. "sessions quit N WHEN": the same with status 0. "sessions idle N": rank N
// does nothing for 35 seconds after the others have ended with a session open. "sessions open": each rank leaves one open that it has opened before MPI_Finalize. "sessions world": names MPI_COMM_WORLD in one. "sessions many": many started
// collectives in two sessions, one after the other.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int errors = 0;

static void expect(int holds, const char* what) {
  if (!holds) {
    printf("wrong: %s\n", what);
    ++errors;
  }
}

static MPI_Session open_session(void) {
  MPI_Session session;
  expect(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS,
         "Session_init");
  return session;
}

static MPI_Comm world_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  expect(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS,
         "Group_from_session_pset");
  const int wrong = -1;
  MPI_Group none;
  expect(MPI_Group_incl(group, 1, &wrong, &none) != MPI_SUCCESS, "Group_incl of a wrong rank");
  expect(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
             MPI_SUCCESS,
         "Comm_create_from_group");
  MPI_Group_free(&group);
  return comm;
}

static void talk(MPI_Comm comm) {
  int rank, size, sum, got;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size,
               1, comm, MPI_STATUS_IGNORE);
  expect(got == (rank + size - 1) % size, "ring");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(sum == size * (size - 1) / 2, "sum");
}

// What needs no communicator of the World Model.
static void do_without_world(MPI_Comm comm) {
  int flag, x = 7;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  MPI_Comm other;
  MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, &status);
  MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
  expect(status.MPI_SOURCE == MPI_PROC_NULL, "Mrecv");
  MPI_Improbe(MPI_PROC_NULL, 0, comm, &flag, &message, &status);
  MPI_Imrecv(&x, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  expect(flag && status.MPI_SOURCE == MPI_PROC_NULL && x == 7, "Imrecv");
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &other);
  talk(other);
  MPI_Comm_free(&other);
  MPI_Comm_dup(comm, &other);
  talk(other);
  MPI_Comm_free(&other);
}

static void print_error(int code) {
  int length;
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_string(code, text, &length);
  puts(text);
}

static void name_the_world(void) {
  int size;
  print_error(MPI_Comm_size(MPI_COMM_WORLD, &size));
}

// What there may be after MPI_Finalize.
static int may_open_session(void) {
  MPI_Session session;
  const int code = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  if (code == MPI_SUCCESS) return MPI_Session_finalize(&session) == MPI_SUCCESS;
  print_error(code);
  return 0;
}

static int count_mappings(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  int lines = 0, letter;
  while ((letter = fgetc(maps)) != EOF) lines += letter == '\n';
  fclose(maps);
  return lines;
}

// The second collective cannot be done by its start: a helper carries it out.
static void start_two(MPI_Comm comm) {
  int one = 1, sums[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Iallreduce(&one, &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// Helpers end with the last session; those of a later one serve as often as the first ones did.
static int start_many(void) {
  int rank = 0;
  for (int session_number = 0; session_number < 2; ++session_number) {
    MPI_Session session = open_session();
    MPI_Comm comm = world_of(session, "many");
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 20; ++i) start_two(comm);
    const int before = count_mappings();
    for (int i = 0; i < 200; ++i) start_two(comm);
    expect(count_mappings() < before + 100, "as many helpers as are needed at once");
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
  }
  return rank;
}

static int use_twice(void) {
  int rank;
  MPI_Session first = open_session();
  MPI_Comm comm = world_of(first, "first");
  MPI_Comm_rank(comm, &rank);
  talk(comm);
  do_without_world(comm);
  MPI_Session second = open_session();
  MPI_Comm other = world_of(second, "second");
  expect(MPI_Comm_free(&comm) == MPI_SUCCESS, "Comm_free");
  expect(MPI_Session_finalize(&first) == MPI_SUCCESS, "Session_finalize");
  talk(other);
  MPI_Comm_free(&other);
  expect(MPI_Session_finalize(&second) == MPI_SUCCESS, "Session_finalize");
  return rank;
}

int main(int argc, char** argv) {
  int rank = 0, flag;
  if (argc > 2 && (strcmp(argv[1], "fail") == 0 || strcmp(argv[1], "quit") == 0)) {
    const int before = argc > 3 && strcmp(argv[3], "before") == 0;
    if (argc > 3) MPI_Init(NULL, NULL);
    if (argc > 3 && !before) MPI_Finalize();
    MPI_Session session = open_session();
    if (before) MPI_Finalize();
    MPI_Comm comm = world_of(session, "fail");
    MPI_Comm_rank(comm, &rank);
    if (rank == atoi(argv[2])) exit(strcmp(argv[1], "fail") == 0 ? 3 : 0);
    MPI_Barrier(comm);
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "open") == 0) {
    MPI_Init(NULL, NULL);
    open_session();
    talk(MPI_COMM_WORLD);
    MPI_Finalize();
    return errors != 0;
  }
  if (argc > 2 && strcmp(argv[1], "idle") == 0) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != atoi(argv[2])) open_session();
    MPI_Finalize();
    if (rank == atoi(argv[2])) sleep(35);
    return errors != 0;
  }
  if (argc > 1 && strcmp(argv[1], "world") == 0) {
    open_session();
    name_the_world();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "after") == 0) {
    MPI_Init(NULL, NULL);
    talk(MPI_COMM_WORLD);
    MPI_Finalize();
    if (!may_open_session()) return errors != 0;
    for (int i = 0; i < 3; ++i) rank = use_twice();
  } else if (argc > 1 && strcmp(argv[1], "many") == 0) {
    rank = start_many();
  } else if (argc > 1) {
    rank = use_twice();
    MPI_Init(NULL, NULL);
    talk(MPI_COMM_WORLD);
    MPI_Session session = open_session();
    MPI_Comm comm = world_of(session, "across");
    MPI_Finalize();
    talk(comm);
    MPI_Comm_free(&comm);
    MPI_Finalized(&flag);
    expect(flag, "Finalized");
    expect(MPI_Session_finalize(&session) == MPI_SUCCESS, "Session_finalize");
  } else {
    for (int i = 0; i < 3; ++i) rank = use_twice();
    MPI_Initialized(&flag);
    expect(!flag, "Initialized");
  }
  if (rank == 0 && errors == 0) puts("ok");
  return errors != 0;
}
