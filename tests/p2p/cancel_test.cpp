// Cancelling receives and sends (MPI 5.0 §3.8.4).

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

RANKS_TEST(Cancel, AReceiveThatHasNotMatchedIsCancelled, ranks(1, 2)) {
  int value = 7, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, 0, 33, MPI_COMM_WORLD, &request);
  ASSERT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_TRUE(flag);
  EXPECT_EQ(value, 7);
}

RANKS_TEST(Cancel, IsTooLateOnceAMessageHasCome, ranks(1)) {
  int value = 7, sent = 8, flag = 1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, 0, 33, MPI_COMM_WORLD, &request);
  MPI_Send(&sent, 1, MPI_INT, 0, 33, MPI_COMM_WORLD);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_FALSE(flag);
  EXPECT_EQ(value, 8);
}

// Only the last message is sent: cancelled ones never arrive.
RANKS_TEST(Cancel, ASendThatNobodyHasTakenIsCancelled, ranks(1, 2)) {
  const int to = size - 1, many = 100000;
  std::vector<int> sent(many, 3), got(many, 0);
  MPI_Request requests[3], last;
  if (rank == 0) {
    MPI_Issend(sent.data(), 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent.data(), many, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Ssend_init(sent.data(), 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Start(&requests[2]);
    for (MPI_Request& request : requests) {
      MPI_Status status;
      int flag = 0;
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      EXPECT_TRUE(flag);
    }
    std::fill(sent.begin(), sent.end(), 5);
    MPI_Start(&requests[2]);
    MPI_Isend(sent.data(), many, MPI_INT, to, 1, MPI_COMM_WORLD, &last);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == to) {
    MPI_Status status;
    for (int expected : {1, many}) {
      int count = 0;
      MPI_Recv(got.data(), many, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT_EQ(count, expected);
    }
    EXPECT_EQ(got, std::vector<int>(many, 5));
  }
  if (rank == 0) {
    MPI_Status status;
    int flag = 1;
    MPI_Wait(&requests[2], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_FALSE(flag);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[2]);
  }
}

RANKS_TEST(Cancel, ASendThatWasReceivedIsNotCancelled, ranks(1)) {
  std::vector<int> sent(100000, 3), got(100000, 0);
  int flag = 1;
  MPI_Request request;
  MPI_Status status;
  MPI_Issend(sent.data(), 100000, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(got.data(), 100000, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_FALSE(flag);
  EXPECT_EQ(got, sent);
}

RANKS_TEST(Cancel, OfASendRacesWithTheReceiveAndOneOfTheTwoWins, ranks(2)) {
  for (int round = 0; round < 300; ++round) {
    MPI_Request request;
    MPI_Status status;
    int value = rank == 0 ? round : -1, cancelled = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Issend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
      for (int i = 0; i < round % 3; ++i) {
        int flag;
        MPI_Iprobe(1, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &cancelled);
      MPI_Send(&cancelled, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
      continue;
    }
    MPI_Irecv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Recv(&cancelled, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (cancelled) MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(value, cancelled ? -1 : round);
  }
}

RANKS_TEST(Cancel, RacesWithTheMessageAndOneOfTheTwoWins, ranks(2)) {
  for (int round = 0; round < 300; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Send(&round, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
      continue;
    }
    int value = -1, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    for (int i = 0; i < round % 3; ++i) {
      int flag;
      MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled) {
      EXPECT_EQ(value, -1);
      MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    ASSERT_EQ(value, round);
  }
}

RANKS_TEST(Status, FieldsCanBeSetAndRead, ranks(1)) {
  MPI_Status status;
  int value = 0, flag = 0;
  MPI_Status_set_source(&status, 3);
  MPI_Status_set_tag(&status, 4);
  MPI_Status_set_error(&status, MPI_ERR_OTHER);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Status_set_elements(&status, MPI_DOUBLE, 5);
  MPI_Status_get_source(&status, &value);
  EXPECT_EQ(value, 3);
  MPI_Status_get_tag(&status, &value);
  EXPECT_EQ(value, 4);
  MPI_Status_get_error(&status, &value);
  EXPECT_EQ(value, MPI_ERR_OTHER);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_TRUE(flag);
  MPI_Get_elements(&status, MPI_DOUBLE, &value);
  EXPECT_EQ(value, 5);
  MPI_Get_count(&status, MPI_INT, &value);
  EXPECT_EQ(value, 10);
  MPI_Get_count(&status, MPI_LONG_DOUBLE, &value);
  EXPECT_EQ(value, MPI_UNDEFINED);
}
