// Probes see what a receive would get; matched probes take it (MPI 5.0 §3.8).

#include "tests/p2p/payload.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;
}  // namespace

RANKS_TEST(Probe, TellsTheSizeBeforeTheReceive, ranks(2, 4)) {
  for (const int bytes : kSizes) {
    if (rank != 0) {
      const Bytes data = payload(bytes, rank, 0);
      MPI_Send(data.data(), bytes, MPI_BYTE, 0, rank, MPI_COMM_WORLD);
      continue;
    }
    for (int i = 1; i < size; ++i) {
      MPI_Status status;
      ASSERT_EQ(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), MPI_SUCCESS);
      const int source = status.MPI_SOURCE;
      EXPECT_EQ(status.MPI_TAG, source);
      const int count = count_of(status, MPI_BYTE);
      Bytes room = room_for(count);
      MPI_Recv(room.data(), count, MPI_BYTE, source, source, MPI_COMM_WORLD, &status);
      EXPECT_TRUE(holds(room, payload(count, source, 0)));
    }
    int flag = 0;
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_FALSE(flag);
  }
}

RANKS_TEST(Probe, ALoopOfIprobesComesToAnEnd, ranks(2, 7)) {
  if (rank != 0) {
    MPI_Send(&rank, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < size; ++i) {
    int flag = 0, value = -1;
    MPI_Status status;
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, status.MPI_SOURCE);
  }
}

RANKS_TEST(Mprobe, NobodyElseCanReceiveTheMessage, ranks(2)) {
  for (const int bytes : {4, 1000, 100000}) {
    if (rank == 0) {
      const Bytes first = payload(bytes, 0, 1), second = payload(bytes, 0, 2);
      MPI_Request requests[2];
      MPI_Isend(first.data(), bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(second.data(), bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      continue;
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    ASSERT_EQ(MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
    Bytes room = room_for(bytes), other = room_for(bytes);
    MPI_Recv(other.data(), bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &status);
    EXPECT_TRUE(holds(other, payload(bytes, 0, 2)));
    if (bytes == 1000) {
      MPI_Request request;
      ASSERT_EQ(MPI_Imrecv(room.data(), bytes, MPI_BYTE, &message, &request), MPI_SUCCESS);
      MPI_Wait(&request, &status);
    } else {
      ASSERT_EQ(MPI_Mrecv(room.data(), bytes, MPI_BYTE, &message, &status), MPI_SUCCESS);
    }
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(status.MPI_TAG, 3);
    EXPECT_TRUE(holds(room, payload(bytes, 0, 1)));
  }
}

RANKS_TEST(Mprobe, OfNobodyGivesAMessageOfNobody, ranks(1)) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int flag = 0;
  MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
  EXPECT_TRUE(flag);
  EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
  EXPECT_EQ(MPI_Mrecv(nullptr, 0, MPI_INT, &message, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(message, MPI_MESSAGE_NULL);
}

RANKS_TEST(Mprobe, ThreadsShareAStreamWithoutLosingAMessage, ranks(2)) {
  constexpr int kThreads = 3, kEach = 200;
  if (rank == 0) {
    for (int i = 0; i < kThreads * kEach; ++i) MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return;
  }
  std::vector<std::vector<int>> got(kThreads);
  RankThreads threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.start([&got, t] {
      for (int i = 0; i < kEach; ++i) {
        MPI_Message message;
        int value = -1;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        got[static_cast<std::size_t>(t)].push_back(value);
      }
    });
  }
  threads.join();
  std::vector<int> seen(kThreads * kEach, 0);
  for (const std::vector<int>& mine : got) {
    for (const int value : mine) ++seen[static_cast<std::size_t>(value)];
  }
  EXPECT_EQ(seen, std::vector<int>(kThreads * kEach, 1));
}
