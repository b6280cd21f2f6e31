// Partitioned communication (MPI 5.0 §4). The oracle is what the sender would have written by hand.

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/p2p/payload.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

struct Pair {
  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;

  void free() {
    MPI_Request_free(&receive);
    MPI_Request_free(&send);
  }
};

// A ring: each rank sends to the next one. `send` and `receive` partitions of the same bytes.
Pair ring(int rank, int size, Bytes& data, Bytes& room, int send, int receive, int tag = 5) {
  Pair pair;
  const auto bytes = static_cast<int>(data.size());
  EXPECT_EQ(
      MPI_Precv_init(room.data(), receive, bytes / receive, MPI_BYTE, (rank + size - 1) % size, tag,
                     MPI_COMM_WORLD, MPI_INFO_NULL, &pair.receive),
      MPI_SUCCESS);
  EXPECT_EQ(MPI_Psend_init(data.data(), send, bytes / send, MPI_BYTE, (rank + 1) % size, tag,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &pair.send),
            MPI_SUCCESS);
  return pair;
}

std::vector<int> shuffled(int count, unsigned long seed) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(seed)));
  return order;
}

}  // namespace

RANKS_TEST(Partitioned, ArrivesInEachRound, ranks(1, 2, 4, 7)) {
  for (const auto& [send, receive] : {std::pair{1, 1}, {8, 8}, {12, 3}, {4, 16}, {6, 4}, {1, 24}}) {
    for (const int unit : {1, 50, 4000}) {
      const int bytes = 48 * unit;
      Bytes data = payload(bytes, rank, 0), room = room_for(bytes);
      Pair pair = ring(rank, size, data, room, send, receive);
      for (int round = 0; round < 4; ++round) {
        const Bytes now = payload(bytes, rank, round);
        if (round % 2 == 0) MPI_Start(&pair.receive);
        MPI_Start(&pair.send);
        std::copy(now.begin(), now.end(),
                  data.begin());  // each partition is the program's until it is ready
        for (const int i : shuffled(send, seed() + static_cast<unsigned>(round))) {
          ASSERT_EQ(MPI_Pready(i, pair.send), MPI_SUCCESS);
        }
        if (round % 2 == 1) MPI_Start(&pair.receive);
        MPI_Status status;
        ASSERT_EQ(MPI_Wait(&pair.receive, &status), MPI_SUCCESS);
        EXPECT_EQ(status.MPI_SOURCE, (rank + size - 1) % size);
        EXPECT_EQ(status.MPI_TAG, 5);
        EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
        EXPECT_TRUE(holds(room, payload(bytes, (rank + size - 1) % size, round)));
        ASSERT_EQ(MPI_Wait(&pair.send, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      pair.free();
    }
  }
}

RANKS_TEST(Partitioned, TheReceiverSeesWhatHasArrived, ranks(2, 4)) {
  constexpr int kParts = 6, kBytes = 6 * 1000;
  Bytes data = payload(kBytes, rank, 0), room = room_for(kBytes);
  const Bytes wanted = payload(kBytes, (rank + size - 1) % size, 0);
  Pair pair = ring(rank, size, data, room, kParts, kParts / 2);
  int flag = 0;
  EXPECT_EQ(MPI_Parrived(pair.receive, 0, &flag), MPI_SUCCESS);
  EXPECT_TRUE(flag);  // inactive
  MPI_Start(&pair.receive);
  MPI_Start(&pair.send);
  MPI_Parrived(pair.receive, 1, &flag);
  EXPECT_FALSE(flag);
  for (const int part : {2, 0, 1}) {
    MPI_Pready(2 * part, pair.send);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Parrived(pair.receive, part, &flag);
    EXPECT_FALSE(flag);  // half of it is missing
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pready(2 * part + 1, pair.send);
    while (flag == 0) MPI_Parrived(pair.receive, part, &flag);
    EXPECT_TRUE(std::equal(room.begin() + part * 2000, room.begin() + (part + 1) * 2000,
                           wanted.begin() + part * 2000));
    flag = 0;
  }
  MPI_Wait(&pair.receive, MPI_STATUS_IGNORE);
  MPI_Wait(&pair.send, MPI_STATUS_IGNORE);
  pair.free();
}

RANKS_TEST(Partitioned, WhereAllHaveArrivedTheRoundIsOver, ranks(2, 4)) {
  constexpr int kParts = 4, kRounds = 200;
  Bytes data = payload(kParts, rank, 0), room = room_for(kParts);
  Pair pair = ring(rank, size, data, room, kParts, kParts);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Start(&pair.receive);
    MPI_Start(&pair.send);
    MPI_Pready_range(0, kParts - 1, pair.send);
    for (int part = 0; part < kParts; ++part) {
      for (int flag = 0; flag == 0;) MPI_Parrived(pair.receive, part, &flag);
    }
    int over = 0;
    MPI_Test(&pair.receive, &over, MPI_STATUS_IGNORE);
    EXPECT_TRUE(over) << "round " << round;
    MPI_Wait(&pair.receive, MPI_STATUS_IGNORE);
    MPI_Wait(&pair.send, MPI_STATUS_IGNORE);
  }
  pair.free();
}

RANKS_TEST(Partitioned, ThreadsMarkPartitions, ranks(1, 2, 3)) {
  constexpr int kThreads = 4, kEach = 8, kParts = kThreads * kEach, kBytes = kParts * 600;
  Bytes data = room_for(kBytes), room = room_for(kBytes);
  Pair pair = ring(rank, size, data, room, kParts, kParts);
  for (int round = 0; round < 5; ++round) {
    const Bytes now = payload(kBytes, rank, round);
    MPI_Start(&pair.receive);
    MPI_Start(&pair.send);
    {
      RankThreads threads;
      for (int thread = 0; thread < kThreads; ++thread) {
        threads.start([&, thread] {
          const int first = thread * kEach, end = first + kEach;
          std::copy(now.begin() + first * 600, now.begin() + end * 600, data.begin() + first * 600);
          for (int i = first; i < end - 2; ++i) MPI_Pready(i, pair.send);
          MPI_Pready_range(end - 2, end - 1, pair.send);
        });
      }
      MPI_Wait(&pair.send, MPI_STATUS_IGNORE);
      MPI_Wait(&pair.receive, MPI_STATUS_IGNORE);
    }
    EXPECT_TRUE(holds(room, payload(kBytes, (rank + size - 1) % size, round)));
  }
  pair.free();
}

// Init calls with one tag are paired in their order; the later ones may be started first.
RANKS_TEST(Partitioned, PairsInTheOrderOfTheInitCalls, ranks(2, 3)) {
  constexpr int kPairs = 5;
  std::vector<Bytes> data, rooms;
  for (int i = 0; i < kPairs; ++i) {
    data.push_back(payload(240, rank, i));
    rooms.push_back(room_for(240));
  }
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < kPairs; ++i)
    pairs.push_back(ring(rank, size, data[i], rooms[i], 4, 2));
  for (int i = kPairs; i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    MPI_Request both[] = {pairs[at].receive, pairs[at].send};
    MPI_Startall(2, both);
    const int list[] = {3, 1, 0, 2};
    MPI_Pready_list(4, list, pairs[at].send);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    EXPECT_TRUE(holds(rooms[at], payload(240, (rank + size - 1) % size, i)));
  }
  for (Pair& pair : pairs) pair.free();
}

// The receiver's type has gaps, and its elements end inside the sender's partitions.
RANKS_TEST(Partitioned, EachSideHasItsLayout, ranks(2, 4)) {
  constexpr int kBytes = 7 * 12 * 5;
  MPI_Datatype gaps;
  MPI_Type_vector(5, 1, 3, MPI_INT, &gaps);  // 20 bytes in 52
  MPI_Datatype padded;
  MPI_Type_create_resized(gaps, 0, 64, &padded);
  MPI_Type_commit(&padded);
  const int previous = (rank + size - 1) % size, next = (rank + 1) % size;
  Bytes data = payload(kBytes, rank, 0), room(64 * kBytes / 20, 0);
  MPI_Request receive, send;
  MPI_Psend_init(data.data(), 12, kBytes / 12, MPI_BYTE, next, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &send);
  MPI_Precv_init(room.data(), 3, kBytes / 20 / 3, padded, previous, 0, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &receive);
  for (int round = 0; round < 3; ++round) {
    const Bytes now = payload(kBytes, rank, round);
    std::copy(now.begin(), now.end(), data.begin());
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Pready_range(0, 11, send);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    Bytes packed(kBytes);
    for (int i = 0; i < kBytes / 4; ++i) {
      const int at = i / 5 * 64 + i % 5 * 12;
      std::copy_n(room.begin() + at, 4, packed.begin() + i * 4);
    }
    EXPECT_EQ(packed, payload(kBytes, previous, round));
  }
  MPI_Request_free(&receive);
  MPI_Request_free(&send);
  MPI_Type_free(&padded);
  MPI_Type_free(&gaps);
}

// An empty partition has no bytes, so it arrives with the round and not before.
RANKS_TEST(Partitioned, EmptyPartitionsArriveWithTheRound, ranks(1, 2, 3)) {
  Bytes nothing;
  for (const int partitions : {1, 3}) {
    Pair pair = ring(rank, size, nothing, nothing, partitions, partitions);
    for (int round = 0; round < 3; ++round) {
      int flag = 1;
      MPI_Barrier(MPI_COMM_WORLD);
      ASSERT_EQ(MPI_Start(&pair.receive), MPI_SUCCESS);
      ASSERT_EQ(MPI_Parrived(pair.receive, partitions - 1, &flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 0);
      MPI_Barrier(MPI_COMM_WORLD);
      ASSERT_EQ(MPI_Start(&pair.send), MPI_SUCCESS);
      ASSERT_EQ(MPI_Pready_range(0, partitions - 1, pair.send), MPI_SUCCESS);
      for (int i = 0; i < partitions; ++i) {
        do {
          ASSERT_EQ(MPI_Parrived(pair.receive, i, &flag), MPI_SUCCESS);
        } while (flag == 0);
      }
      MPI_Wait(&pair.receive, MPI_STATUS_IGNORE);
      MPI_Wait(&pair.send, MPI_STATUS_IGNORE);
    }
    pair.free();
  }
}

RANKS_TEST(Partitioned, NothingAndNobody, ranks(1, 2)) {
  MPI_Request requests[4];
  MPI_Precv_init(nullptr, 0, 0, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Psend_init(nullptr, 0, 0, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  MPI_Precv_init(nullptr, 3, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[2]);
  MPI_Psend_init(nullptr, 3, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[3]);
  for (int round = 0; round < 3; ++round) {
    MPI_Status statuses[4];
    ASSERT_EQ(MPI_Startall(4, requests), MPI_SUCCESS);
    ASSERT_EQ(MPI_Pready_range(0, 2, requests[3]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Waitall(4, requests, statuses), MPI_SUCCESS);
    EXPECT_EQ(count_of(statuses[0], MPI_INT), 0);
    EXPECT_EQ(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

RANKS_TEST(Partitioned, MistakesGetTheirErrorClass, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Bytes data = payload(40, 0, 0), room = room_for(40);
  Pair pair = ring(rank, size, data, room, 4, 2);
  int flag = 0;
  EXPECT_EQ(MPI_Pready(0, pair.send), MPI_ERR_REQUEST);  // not started
  MPI_Start(&pair.send);
  MPI_Start(&pair.receive);
  EXPECT_EQ(MPI_Pready(4, pair.send), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pready(-1, pair.send), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pready_range(2, 1, pair.send), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pready(0, pair.receive), MPI_ERR_REQUEST);
  EXPECT_EQ(MPI_Parrived(pair.send, 0, &flag), MPI_ERR_REQUEST);
  EXPECT_EQ(MPI_Parrived(pair.receive, 2, &flag), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
  EXPECT_EQ(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  EXPECT_EQ(MPI_Pready(1, pair.send), MPI_SUCCESS);
  EXPECT_EQ(MPI_Pready(1, pair.send), MPI_ERR_ARG);
  MPI_Request copy = pair.send;
  EXPECT_EQ(MPI_Request_free(&copy), MPI_ERR_REQUEST);
  EXPECT_EQ(MPI_Cancel(&pair.receive), MPI_ERR_REQUEST);
  MPI_Pready(0, pair.send);
  MPI_Pready_range(2, 3, pair.send);
  MPI_Wait(&pair.send, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Wait(&pair.receive, MPI_STATUS_IGNORE), MPI_SUCCESS);
  pair.free();
  MPI_Request request;
  EXPECT_EQ(
      MPI_Psend_init(data.data(), -1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
      MPI_ERR_ARG);
}

RANKS_TEST(Partitioned, TooLongASendIsTruncated, ranks(2)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request;
  Bytes data = payload(400, rank, 0), room = room_for(300);
  if (rank == 0) {
    MPI_Psend_init(data.data(), 4, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  } else {
    MPI_Precv_init(room.data(), 3, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  MPI_Start(&request);
  if (rank == 0) MPI_Pready_range(0, 3, request);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  if (rank == 1) {
    EXPECT_TRUE(std::equal(room.begin(), room.begin() + 300, payload(400, 0, 0).begin()));
  }
  MPI_Request_free(&request);
}
