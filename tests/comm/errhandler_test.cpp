// Which error handler hears of an error, how often, and what the call returns (MPI 5.0 §9.3).

#include <sys/wait.h>

#include <string>
#include <vector>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"

namespace {

// Each rank's program has globals of its own only when it is loaded as an image; here ranks share
// the process, so a thread_local (of the rank's ult) holds what its handlers heard.
struct Heard {
  MPI_Comm comm;
  int code;
  bool operator==(const Heard&) const = default;
};
thread_local std::vector<Heard> heard;

void note(MPI_Comm* comm, int* code, ...) {
  heard.push_back({*comm, *code});
}

void replace(MPI_Comm*, int* code, ...) {
  *code = MPI_ERR_LASTCODE;
}

void fail_inside(MPI_Comm* comm, int* code, ...) {
  heard.push_back({*comm, *code});
  if (heard.size() == 1) {
    int n = 0;
    EXPECT_EQ(MPI_Comm_remote_size(*comm, &n), MPI_ERR_COMM) << "a wrong call inside the handler";
  }
}

MPI_Errhandler handler_of(MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  EXPECT_EQ(MPI_Comm_create_errhandler(function, &handler), MPI_SUCCESS);
  return handler;
}

MPI_Comm dup_with(MPI_Errhandler handler) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  return comm;
}

}  // namespace

RANKS_TEST(Errhandler, OfTheUserHearsOfTheErrorOnceWithItsCommunicator, ranks(1, 2, 4)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm comm = dup_with(handler);
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
  EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, size, 0, comm), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 0, -5, comm), MPI_ERR_TAG);
  EXPECT_EQ(heard, (std::vector<Heard>{{comm, MPI_ERR_RANK}, {comm, MPI_ERR_TAG}}));
  MPI_Comm_free(&comm);
}

RANKS_TEST(Errhandler, IsInheritedByDupSplitAndCreate, ranks(1, 2)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm parent = dup_with(handler);
  MPI_Comm children[3];
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(parent, &group);
  MPI_Comm_dup(parent, &children[0]);
  MPI_Comm_split(parent, 0, 0, &children[1]);
  MPI_Comm_create(parent, group, &children[2]);
  for (MPI_Comm& child : children) {
    MPI_Errhandler inherited = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(child, &inherited);
    EXPECT_EQ(inherited, handler);
    MPI_Errhandler_free(&inherited);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, size, 0, child), MPI_ERR_RANK);
    EXPECT_EQ(heard.back(), (Heard{child, MPI_ERR_RANK}));
    MPI_Comm_free(&child);
  }
  EXPECT_EQ(heard.size(), 3u);
  MPI_Group_free(&group);
  MPI_Comm_free(&parent);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, DecidesWhatTheCallReturns, ranks(1)) {
  MPI_Errhandler handler = handler_of(replace);
  MPI_Comm comm = dup_with(handler);
  EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 99, 0, comm), MPI_ERR_LASTCODE);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, MayItselfMakeMistakes, ranks(1, 2)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(fail_inside);
  MPI_Comm comm = dup_with(handler);
  EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 99, 0, comm), MPI_ERR_RANK);
  EXPECT_EQ(heard, (std::vector<Heard>{{comm, MPI_ERR_RANK}, {comm, MPI_ERR_COMM}}));
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

// What they complain of is under way: the last rank joins after the wrong calls.
RANKS_TEST(Errhandler, OfItsCommunicatorHearsOfARequestThatMayNotEnd, ranks(2, 4)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm comm = dup_with(handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const bool late = rank == size - 1;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[1]);
  if (!late) {
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Start(&requests[1]);
    for (MPI_Request& request : requests) {
      EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
      EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_REQUEST);
    }
    EXPECT_EQ(heard, (std::vector<Heard>(4, Heard{comm, MPI_ERR_REQUEST})));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (late) {
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Start(&requests[1]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, OfSelfHearsOfErrorsWithoutACommunicator, ranks(1, 2)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int n = 0;
  EXPECT_EQ(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
  EXPECT_EQ(heard,
            (std::vector<Heard>{{MPI_COMM_SELF, MPI_ERR_COMM}, {MPI_COMM_SELF, MPI_ERR_GROUP}}));
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

namespace {

constexpr int kFailing = 2;  // the requests below that fail: 1 and 2

// Four receives of messages of this rank to itself; 1 and 2 have no room, on a communicator each.
void receive_too_much(MPI_Comm first, MPI_Comm second, int* room, MPI_Request* requests) {
  const int values[2] = {1, 2};
  const MPI_Comm comms[4] = {second, first, second, first};
  for (int i = 0; i < 4; ++i) {
    const int count = i == 1 || i == kFailing ? 2 : 1;
    MPI_Send(values, count, MPI_INT, 0, i, comms[i]);
    MPI_Irecv(&room[i], 1, MPI_INT, 0, i, comms[i], &requests[i]);
  }
}

using Complete = int (*)(MPI_Request*, MPI_Status*);

const Complete kCompleteSeveral[] = {
    [](MPI_Request* requests, MPI_Status* statuses) { return MPI_Waitall(4, requests, statuses); },
    [](MPI_Request* requests, MPI_Status* statuses) {
      int flag = 0;
      return MPI_Testall(4, requests, &flag, statuses);
    },
    [](MPI_Request* requests, MPI_Status* statuses) {
      int count = 0, indices[4];
      return MPI_Waitsome(4, requests, &count, indices, statuses);
    },
    [](MPI_Request* requests, MPI_Status* statuses) {
      int count = 0, indices[4];
      return MPI_Testsome(4, requests, &count, indices, statuses);
    }};

}  // namespace

RANKS_TEST(Errhandler, HearsTheErrorOfTheFirstRequestThatFailed, ranks(1)) {
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm first = dup_with(handler), second = dup_with(handler);
  for (const Complete complete : kCompleteSeveral) {
    heard.clear();
    int room[4] = {};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    receive_too_much(first, second, room, requests);
    EXPECT_EQ(complete(requests, statuses), MPI_ERR_IN_STATUS);
    EXPECT_EQ(heard, (std::vector<Heard>{{first, MPI_ERR_TRUNCATE}}));
    EXPECT_EQ(statuses[kFailing].MPI_ERROR, MPI_ERR_TRUNCATE);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(MPI_ERR_IN_STATUS, text, &length);
    EXPECT_NE(std::string(text).find("index 1"), std::string::npos) << text;
  }
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, HearsOfAMisusedRequestOfItsCommunicator, ranks(1)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  const MPI_Comm comm = dup_with(handler);
  int value = 0;
  MPI_Request requests[2];
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &requests[0]);
  EXPECT_EQ(MPI_Start(&requests[0]), MPI_ERR_REQUEST) << "not persistent";
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, comm, &requests[1]);
  MPI_Start(&requests[1]);
  EXPECT_EQ(MPI_Startall(1, &requests[1]), MPI_ERR_REQUEST) << "active";
  EXPECT_EQ(heard, (std::vector<Heard>{{comm, MPI_ERR_REQUEST}, {comm, MPI_ERR_REQUEST}}));
  for (int tag = 0; tag < 2; ++tag) MPI_Send(&value, 1, MPI_INT, 0, tag, comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Comm freed = comm;
  MPI_Comm_free(&freed);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, HearsOfWrongArgumentsBesideAMessageOfItsCommunicator, ranks(1)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm comm = dup_with(handler);
  const MPI_Comm named = comm;
  int value = 0;
  MPI_Message message;
  MPI_Request request;
  MPI_Send(&value, 1, MPI_INT, 0, 0, comm);
  MPI_Mprobe(0, 0, comm, &message, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Mrecv(&value, -1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Imrecv(&value, 1, MPI_DATATYPE_NULL, &message, &request), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(heard, (std::vector<Heard>{{named, MPI_ERR_COUNT}, {named, MPI_ERR_TYPE}}));
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

namespace {

void look_at_comm(MPI_Comm* comm, int* code, ...) {
  heard.push_back({*comm, *code});
  int flag = -1;
  EXPECT_EQ(MPI_Comm_test_inter(*comm, &flag), MPI_SUCCESS);
}

void free_comm(MPI_Comm* comm, int* code, ...) {
  heard.push_back({*comm, *code});
  MPI_Comm mine = *comm;
  EXPECT_EQ(MPI_Comm_free(&mine), MPI_SUCCESS);
}

}  // namespace

RANKS_TEST(Errhandler, OfAFreedCommunicatorGetsAHandleThatWorks, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (MPI_Comm_errhandler_function* function : {look_at_comm, free_comm}) {
    heard.clear();
    MPI_Errhandler handler = handler_of(function);
    MPI_Comm comm = dup_with(handler);
    const int values[2] = {1, 2};
    int room = 0, n = 0;
    MPI_Request request;
    MPI_Irecv(&room, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Send(values, 2, MPI_INT, 0, 0, comm);
    MPI_Comm_free(&comm);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(MPI_Comm_size(heard[0].comm, &n), MPI_ERR_COMM) << "only for the handler's time";
    MPI_Errhandler_free(&handler);
  }
}

RANKS_TEST(Errhandler, MayFreeItsCommunicator, ranks(1)) {
  heard.clear();
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler handler = handler_of(free_comm);
  const MPI_Comm comm = dup_with(handler);
  int n = 0;
  EXPECT_EQ(MPI_Comm_remote_size(comm, &n), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Comm_size(comm, &n), MPI_ERR_COMM) << "it is freed";
  EXPECT_EQ(heard, (std::vector<Heard>{{comm, MPI_ERR_COMM}}));
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, CanBeCalledByTheProgram, ranks(1, 2)) {
  heard.clear();
  MPI_Errhandler handler = handler_of(note);
  MPI_Comm comm = dup_with(handler);
  int own_class = 0;
  MPI_Add_error_class(&own_class);
  MPI_Add_error_string(own_class, "no more coffee");
  EXPECT_EQ(MPI_Comm_call_errhandler(comm, own_class), MPI_SUCCESS);
  EXPECT_EQ(heard, (std::vector<Heard>{{comm, own_class}}));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Comm_call_errhandler(comm, own_class), MPI_SUCCESS);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(own_class, text, &length);
  EXPECT_EQ(std::string(text), "no more coffee");
  EXPECT_EQ(length, 14);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

RANKS_TEST(Errhandler, PredefinedOnesComeBackAsTheirConstants, ranks(1)) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
}

namespace {

void send_to_nobody(void*) {
  MPI_Init(nullptr, nullptr);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Send(nullptr, 0, MPI_INT, 12, 0, MPI_COMM_WORLD);
  MPI_Finalize();
}

}  // namespace

TEST(FatalErrors, EndTheJobWithASentenceThatNamesRankCallArgumentAndValue) {
  EXPECT_EXIT(
      MPIX_Run(3, send_to_nobody, nullptr, nullptr),
      [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) != 0; },
      "rank 1: MPI_Send: argument dest is 12, but MPI_COMM_WORLD has ranks 0 to 2");
}

RANKS_TEST(Info, TellsTheLengthOfAValueWithoutABuffer, ranks(1)) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  int length = 0, flag = 0;
  EXPECT_EQ(MPI_Info_get_string(info, "key", &length, nullptr, &flag), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  EXPECT_EQ(length, 6);
  MPI_Info_free(&info);
}
