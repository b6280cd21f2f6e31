// Sends and receives in one call (MPI 5.0 §3.11).

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;
}  // namespace

RANKS_TEST(Sendrecv, ShiftsAroundARing, ranks(1, 2, 4, 7)) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const int bytes : kSizes) {
    const Bytes data = payload(bytes, rank, 0);
    Bytes room = room_for(bytes);
    MPI_Status status;
    ASSERT_EQ(MPI_Sendrecv(data.data(), bytes, MPI_BYTE, next, rank, room.data(), bytes, MPI_BYTE,
                           previous, previous, MPI_COMM_WORLD, &status),
              MPI_SUCCESS);
    EXPECT_TRUE(holds(room, payload(bytes, previous, 0)));
    EXPECT_EQ(status.MPI_SOURCE, previous);
    EXPECT_EQ(status.MPI_TAG, previous);
    EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
  }
}

RANKS_TEST(Sendrecv, ReplacesTheBuffer, ranks(1, 2, 4, 7)) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const int bytes : kSizes) {
    Bytes buffer = payload(bytes, rank, 0);
    buffer.push_back(0xEE);
    ASSERT_EQ(MPI_Sendrecv_replace(buffer.data(), bytes, MPI_BYTE, next, 0, previous, 0,
                                   MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_TRUE(holds(buffer, payload(bytes, previous, 0)));
  }
}

RANKS_TEST(Sendrecv, EndsOfALineTalkToNobody, ranks(1, 2, 4)) {
  const int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int previous = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &got, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT_EQ(got, rank - 1);  // rank 0 keeps its -1
}

RANKS_TEST(Isendrecv, CompletesWithBothHalves, ranks(1, 2, 7)) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const int bytes : kSizes) {
    const Bytes data = payload(bytes, rank, 0);
    Bytes room = room_for(bytes), replaced = payload(bytes, rank, 1);
    replaced.push_back(0xEE);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Isendrecv(data.data(), bytes, MPI_BYTE, next, 0, room.data(), bytes, MPI_BYTE, previous, 0,
                  MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_replace(replaced.data(), bytes, MPI_BYTE, next, 1, previous, 1, MPI_COMM_WORLD,
                          &requests[1]);
    ASSERT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
    EXPECT_TRUE(holds(room, payload(bytes, previous, 0)));
    EXPECT_TRUE(holds(replaced, payload(bytes, previous, 1)));
    EXPECT_EQ(statuses[0].MPI_SOURCE, previous);
    EXPECT_EQ(statuses[1].MPI_TAG, 1);
  }
}
