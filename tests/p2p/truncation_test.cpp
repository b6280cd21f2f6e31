// A message that is too long fails at the receiver only (MPI 5.0 §3.2.4), and completions of
// several requests say which one (§3.7.5).

#include <algorithm>
#include <string>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

RANKS_TEST(Truncation, FillsTheBufferAndFailsAtTheReceiver, ranks(2)) {
  return_errors();
  for (const int bytes : {2, 200, 300, 10000, 100000}) {
    for (const bool posted_first : {false, true}) {
      SCOPED_TRACE(std::to_string(bytes));
      const Bytes data = payload(bytes, 0, 1);
      if (rank == 0) {
        if (posted_first) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Request request;
        MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        if (!posted_first) MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        continue;
      }
      Bytes room = room_for(bytes / 2);
      MPI_Status status;
      int code = MPI_SUCCESS;
      if (posted_first) {
        MPI_Request request;
        MPI_Irecv(room.data(), bytes / 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        code = MPI_Wait(&request, &status);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
      } else {
        MPI_Barrier(MPI_COMM_WORLD);
        code = MPI_Recv(room.data(), bytes / 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
      }
      EXPECT_EQ(class_of(code), MPI_ERR_TRUNCATE);
      EXPECT_EQ(count_of(status, MPI_BYTE), bytes / 2);
      EXPECT_TRUE(holds(room, Bytes(data.begin(), data.begin() + bytes / 2)));
    }
  }
}

// Around the size of the box of a blocking receive (src/mpi/p2p/receive_request.h). Rank 1's receive is
// posted when rank 0 sends, or the message is there when it begins.
RANKS_TEST(Truncation, OfSmallMessagesWritesTheBufferAndNothingElse, ranks(2)) {
  return_errors();
  MPI_Datatype every_other;
  MPI_Type_vector(40, 1, 2, MPI_BYTE, &every_other);
  MPI_Type_commit(&every_other);
  constexpr int kGo = 1, kData = 0;
  for (int room_bytes = 0; room_bytes <= 20; ++room_bytes) {
    for (const int bytes : {0, 1, 8, 16, 17, 40}) {
      for (const bool posted_first : {false, true}) {
        SCOPED_TRACE(std::to_string(bytes) + " to " + std::to_string(room_bytes));
        const Bytes data = payload(bytes, 0, room_bytes);
        if (rank == 0) {
          Bytes spread(80);
          for (std::size_t i = 0; i < data.size(); ++i) spread[2 * i] = data[i];
          if (posted_first)
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          if (bytes == 40) {
            MPI_Send(spread.data(), 1, every_other, 1, kData, MPI_COMM_WORLD);
          } else {
            MPI_Send(data.data(), bytes, MPI_BYTE, 1, kData, MPI_COMM_WORLD);
          }
          if (!posted_first) MPI_Send(nullptr, 0, MPI_BYTE, 1, kGo, MPI_COMM_WORLD);
          continue;
        }
        Bytes room = room_for(room_bytes);
        MPI_Status status;
        int code = MPI_SUCCESS;
        if (posted_first) {
          code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, 0, kGo, room.data(), room_bytes, MPI_BYTE, 0,
                              kData, MPI_COMM_WORLD, &status);
        } else {
          MPI_Recv(nullptr, 0, MPI_BYTE, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          code = MPI_Recv(room.data(), room_bytes, MPI_BYTE, 0, kData, MPI_COMM_WORLD, &status);
        }
        const int delivered = std::min(bytes, room_bytes);
        EXPECT_EQ(class_of(code), bytes > room_bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        EXPECT_EQ(count_of(status, MPI_BYTE), delivered);
        EXPECT_TRUE(holds(room, Bytes(data.begin(), data.begin() + delivered)));
      }
    }
  }
  MPI_Type_free(&every_other);
}

RANKS_TEST(Truncation, IsFoundInTheStatuses, ranks(2)) {
  return_errors();
  int values[4] = {1, 2, 3, 4};
  MPI_Request requests[4];
  MPI_Status statuses[4];
  if (rank == 0) {
    for (int i = 0; i < 4; ++i) MPI_Send(values, i == 2 ? 2 : 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    return;
  }
  for (MPI_Status& status : statuses) status.MPI_ERROR = 4711;
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  EXPECT_EQ(class_of(MPI_Waitall(4, requests, statuses)), MPI_ERR_IN_STATUS);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(statuses[i].MPI_ERROR, i == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << i;
    EXPECT_EQ(requests[i], MPI_REQUEST_NULL);
  }
}

// A mistake, but no crash: the first of the two ends the request.
RANKS_TEST(Truncation, OfAHandleThatIsListedTwiceIsToldOnce, ranks(1)) {
  return_errors();
  int room = 0;
  const int data[2] = {rank, rank};
  MPI_Request request;
  MPI_Irecv(&room, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Request both[2] = {request, request};
  MPI_Send(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Status statuses[2];
  EXPECT_EQ(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
  EXPECT_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
  EXPECT_EQ(both[0], MPI_REQUEST_NULL);
  EXPECT_EQ(count_of(statuses[1], MPI_INT), 0);
}

RANKS_TEST(Truncation, TheSentenceNamesWhatHappened, ranks(1)) {
  return_errors();
  double values[3] = {};
  MPI_Request request;
  MPI_Isend(values, 3, MPI_DOUBLE, 0, 42, MPI_COMM_WORLD, &request);
  const int code = MPI_Recv(values, 1, MPI_DOUBLE, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  for (const char* word : {"MPI_Recv", "rank 0", "tag 42", "24 bytes", "room for 8"}) {
    EXPECT_NE(std::string(text).find(word), std::string::npos) << text;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

RANKS_TEST(Requests, GarbageAndFreedHandlesAreErrors, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  return_errors();
  auto garbage = reinterpret_cast<MPI_Request>(0x123456789abcdefu);
  EXPECT_EQ(class_of(MPI_Wait(&garbage, MPI_STATUS_IGNORE)), MPI_ERR_REQUEST);
  int value = 0, flag = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Request copy = request;
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Test(&copy, &flag, MPI_STATUS_IGNORE)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPI_Start(&copy)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPI_Cancel(&copy)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPI_Request_free(&copy)), MPI_ERR_REQUEST);
  MPI_Request array[2] = {MPI_REQUEST_NULL, copy};
  EXPECT_EQ(class_of(MPI_Waitall(2, array, MPI_STATUSES_IGNORE)), MPI_ERR_REQUEST);
}
