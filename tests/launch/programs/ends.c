// ends WHAT END TAG: something is under way while the rank that has begun it ends what END names. The other rank takes its part only then,
// or a moment later where the end waits for it. TAG: of the files by which the ranks tell each other; no other job has it.
// WHAT "all": one after the other, where the rank lives on. Prints "ok" if all came whole; "ends list": the words.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kLarge = 300000, kMiddle = 10000, kMany = 3000 };

static int me, errors, round_number;
static const char* tag_of_files;
static MPI_Session session;
static MPI_Comm comm;
static int sent[kLarge], got[kLarge];
static char room[1 << 21];

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("rank %d, round %d: wrong: %s\n", me, round_number, what);
  ++errors;
}

// ---- what one rank tells the other outside of MPI
static void name_file(const char* event, char* name) {
  snprintf(name, 200, "%s.%s.%d", tag_of_files, event, round_number);
}
static void tell(const char* event) {
  char name[200];
  name_file(event, name);
  close(open(name, O_CREAT | O_WRONLY, 0600));
}
// Returns when that has been told, or after so many milliseconds: time says only how likely a fault is found.
static void await(const char* event, int milliseconds) {
  char name[200];
  const struct timespec moment = {0, 1000000};
  name_file(event, name);
  for (int i = 0; i < milliseconds && access(name, F_OK) != 0; ++i) nanosleep(&moment, NULL);
}

// ---- what is under way: the part of rank 0, which then ends; the part of rank 1, later
static void fill(int count) {
  for (int i = 0; i < count; ++i) sent[i] = i + 7 * round_number;
  memset(got, 0, sizeof got);
}
static void check(int count) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += got[i] != i + 7 * round_number;
  expect(wrong == 0, "data");
}
static void receive(int count) {
  MPI_Recv(got, count, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  check(count);
}
static void receive_large(void) {
  receive(kLarge);
}
static void receive_middle(void) {
  receive(kMiddle);
}
static void receive_one(void) {
  receive(1);
}
static void receive_many(void) {
  for (int i = 0; i < kMany; ++i) MPI_Recv(&got[i], 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  check(kMany);
}

static void start_and_free(MPI_Request request, int persistent) {
  if (persistent) MPI_Start(&request);
  MPI_Request_free(&request);
}
#define STARTS(name, call, persistent)   \
  static void name(void) {               \
    MPI_Request request;                 \
    call;                                \
    start_and_free(request, persistent); \
  }
STARTS(isend, MPI_Isend(sent, kLarge, MPI_INT, 1, 1, comm, &request), 0)
STARTS(issend, MPI_Issend(sent, 1, MPI_INT, 1, 1, comm, &request), 0)
STARTS(send_init, MPI_Send_init(sent, kLarge, MPI_INT, 1, 1, comm, &request), 1)
STARTS(ssend_init, MPI_Ssend_init(sent, 1, MPI_INT, 1, 1, comm, &request), 1)
STARTS(isendrecv,
       MPI_Isendrecv(sent, kLarge, MPI_INT, 1, 1, got, 1, MPI_INT, MPI_PROC_NULL, 0, comm,
                     &request),
       0)
STARTS(irecv, MPI_Irecv(got, kLarge, MPI_INT, 1, 1, comm, &request), 0)
static void send_large_to_0(void) {
  MPI_Ssend(sent, kLarge, MPI_INT, 0, 1, comm);
}

static void isend_column(void) {  // its type is freed, too
  MPI_Datatype column;
  MPI_Request request;
  MPI_Type_vector(kLarge / 2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Isend(sent, 1, column, 1, 1, comm, &request);
  MPI_Type_free(&column);
  MPI_Request_free(&request);
}
static void receive_column(void) {
  MPI_Recv(got, kLarge / 2, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  for (int i = kLarge / 2; i-- > 0;) got[2 * i] = got[i];
  for (int i = 1; i < kLarge; i += 2) got[i] = i + 7 * round_number;
  check(kLarge);
}

static void isend_many(void) {
  for (int i = 0; i < kMany; ++i) {
    MPI_Request request;
    MPI_Isend(&sent[i], 1, MPI_INT, 1, 1, comm, &request);
    MPI_Request_free(&request);
  }
}

static void send(void) {
  MPI_Send(sent, 1, MPI_INT, 1, 1, comm);
}

// The buffer is forgotten with what it is attached to, or is the process's and stays.
static void bsend_comm(void) {
  MPI_Comm_attach_buffer(comm, room, sizeof room);
  MPI_Bsend(sent, kMiddle, MPI_INT, 1, 1, comm);
}
static void bsend_session(void) {
  MPI_Session_attach_buffer(session, room, sizeof room);
  MPI_Bsend(sent, kMiddle, MPI_INT, 1, 1, comm);
}
static void bsend_process(void) {
  static int is_attached = 0;
  if (!is_attached) MPI_Buffer_attach(room, sizeof room);
  is_attached = 1;
  MPI_Bsend(sent, kMiddle, MPI_INT, 1, 1, comm);
}
static void bsend_automatic(void) {
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Bsend(sent, kLarge, MPI_INT, 1, 1, comm);
}
static void bsend_many(void) {
  MPI_Comm_attach_buffer(comm, room, sizeof room);
  for (int i = 0; i < kMany; ++i) MPI_Bsend(&sent[i], 1, MPI_INT, 1, 1, comm);
}
static void ibsend(void) {
  MPI_Request request;
  MPI_Session_attach_buffer(session, room, sizeof room);
  MPI_Ibsend(sent, kMiddle, MPI_INT, 1, 1, comm, &request);
  MPI_Request_free(&request);
}
static void bsend_init(void) {
  MPI_Request request;
  MPI_Comm_attach_buffer(comm, room, sizeof room);
  MPI_Bsend_init(sent, kMiddle, MPI_INT, 1, 1, comm, &request);
  start_and_free(request, 1);
}

static void on_other_comm(void) {  // that is freed before
  MPI_Comm other;
  MPI_Request request;
  MPI_Comm_dup(comm, &other);
  MPI_Issend(sent, kMiddle, MPI_INT, 1, 1, other, &request);
  MPI_Comm_free(&other);
  MPI_Request_free(&request);
}
static void receive_on_other(void) {
  MPI_Comm other;
  MPI_Comm_dup(comm, &other);
  MPI_Recv(got, kMiddle, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
  check(kMiddle);
  MPI_Comm_free(&other);
}

static void partitions(void) {
  MPI_Request request;
  MPI_Psend_init(sent, 10, kMiddle, MPI_INT, 1, 1, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Pready_range(0, 9, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
static void receive_partitions(void) {
  MPI_Request request;
  MPI_Precv_init(got, 5, 2 * kMiddle, MPI_INT, 0, 1, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  check(10 * kMiddle);
}

static void bcast_root(void) {
  MPI_Bcast(sent, 1, MPI_INT, 0, comm);
}
static void bcast(void) {
  MPI_Bcast(got, 1, MPI_INT, 0, comm);
  check(1);
}
static void ibcast_root(void) {
  MPI_Request request;
  MPI_Ibcast(sent, kMiddle, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void ibcast(void) {
  MPI_Request request;
  MPI_Ibcast(got, kMiddle, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(kMiddle);
}
static void reduce(void) {
  MPI_Reduce(sent, got, kMiddle, MPI_INT, MPI_MAX, 1, comm);
  if (me == 1) check(kMiddle);
}

static void nothing(void) {}

static void receive_matched(void) {  // found, and received later
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(0, 1, comm, &message, &status);
  MPI_Mrecv(got, kLarge, MPI_INT, &message, &status);
  check(kLarge);
}

static const struct {
  const char* name;
  void (*begin)(void);
  void (*take)(void);
  int meet;  // begin() may wait for take()
} kKinds[] = {{"isend", isend, receive_large},
              {"matched", isend, receive_matched},
              {"issend", issend, receive_one},
              {"send_init", send_init, receive_large},
              {"ssend_init", ssend_init, receive_one},
              {"isendrecv", isendrecv, receive_large},
              {"irecv", irecv, send_large_to_0},
              {"isend_column", isend_column, receive_column},
              {"isend_many", isend_many, receive_many},
              {"send", send, receive_one},
              {"bsend_comm", bsend_comm, receive_middle},
              {"bsend_session", bsend_session, receive_middle},
              {"bsend_process", bsend_process, receive_middle},
              {"bsend_automatic", bsend_automatic, receive_large},
              {"bsend_many", bsend_many, receive_many},
              {"ibsend", ibsend, receive_middle},
              {"bsend_init", bsend_init, receive_middle},
              {"partitions", partitions, receive_partitions, 1},
              {"bcast", bcast_root, bcast, 1},
              {"ibcast", ibcast_root, ibcast, 1},
              {"reduce", reduce, reduce, 1},
              {"comm", on_other_comm, receive_on_other},
              {"never_sent", nothing, receive_one},
              {"never_received", issend, nothing}};
enum { kKindCount = sizeof kKinds / sizeof kKinds[0], kGoodKinds = kKindCount - 2 };

// ---- what ends
static void open_session(void) {
  MPI_Group group;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ends", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &me);
}
static void close_session(void) {
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}
static void disconnect(void) {
  MPI_Comm_disconnect(&comm);
  MPI_Session_finalize(&session);
}
static void comm_later(void) {  // the communicator outlasts its session, which is not the last
  MPI_Session other;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
  MPI_Session_finalize(&session);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&other);
}
static void open_again(void) {
  MPI_Session other;
  close_session();
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
  MPI_Session_finalize(&other);
}
static void* finalize_session(void* its) {
  MPI_Session_finalize(its);
  return NULL;
}
static void two_threads(void) {  // two sessions end at once; one of them is the last
  pthread_t thread;
  MPI_Session other;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
  MPI_Comm_free(&comm);
  pthread_create(&thread, NULL, finalize_session, &other);
  MPI_Session_finalize(&session);
  pthread_join(thread, NULL);
}
static void leave(void) {
  close_session();
  if (me == 0) _exit(0);
}
// The session is not the last use at rank 0, and MPI_Finalize is none of the others' last.
static void finalize(void) {
  if (me == 0) close_session();
  MPI_Finalize();
}

static const struct {
  const char* name;
  void (*end)(void);
  int once;  // the rank does not live on
  int world;
} kEnds[] = {{"session", close_session, 0, 0}, {"disconnect", disconnect, 0, 0},
             {"comm_later", comm_later, 0, 0}, {"again", open_again, 0, 0},
             {"threads", two_threads, 0, 0},   {"return", close_session, 1, 0},
             {"_exit", leave, 1, 0},           {"finalize", finalize, 1, 1}};
enum { kEndCount = sizeof kEnds / sizeof kEnds[0] };

static void play(int kind, int end) {
  if (kEnds[end].world) MPI_Init(NULL, NULL);
  open_session();
  fill(kLarge);
  if (me == 0) {
    kKinds[kind].begin();
    kEnds[end].end();
    tell("ended");
    if (!kEnds[end].once)
      await("taken", 20000);  // computes, as it were: it does not come to the library
  } else {
    await("ended", 40);
    if (kEnds[end].world && !kKinds[kind].meet) MPI_Finalize();
    kKinds[kind].take();
    tell("taken");
    if (kEnds[end].world) {
      if (kKinds[kind].meet) MPI_Finalize();
      close_session();
    } else {
      kEnds[end].end();
    }
  }
  ++round_number;
}

static void list(void) {
  for (int i = 0; i < kGoodKinds; ++i) printf("%s ", kKinds[i].name);
  puts("");
  for (int i = 0; i < kEndCount; ++i) printf("%s%s ", kEnds[i].name, kEnds[i].once ? ":once" : "");
  puts("");
}

int main(int argc, char** argv) {
  if (argc < 4) {
    list();
    return argc != 2;
  }
  tag_of_files = argv[3];
  for (int end = 0; end < kEndCount; ++end) {
    if (strcmp(argv[2], kEnds[end].name) != 0) continue;
    for (int kind = 0; kind < kKindCount; ++kind) {
      const int all = strcmp(argv[1], "all") == 0 && kind < kGoodKinds;
      if (all || strcmp(argv[1], kKinds[kind].name) == 0) play(kind, end);
    }
  }
  if (me == 1 && errors == 0) puts("ok");
  return errors != 0;
}
