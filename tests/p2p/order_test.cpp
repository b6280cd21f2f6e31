// Messages of one sender do not overtake, and wildcards take them in that order (MPI 5.0 §3.5).

#include <random>

#include "tests/p2p/payload.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// Sizes that mix all protocols on one pair.
int bytes_of(int number) {
  constexpr int kBytes[] = {4, 300, 20000, 8, 9000, 100};
  return kBytes[number % 6];
}

Bytes numbered(int number) {
  Bytes data = payload(bytes_of(number), 0, number);
  *reinterpret_cast<int*>(data.data()) = number;
  return data;
}

}  // namespace

RANKS_TEST(Order, MessagesOfOneSenderDoNotOvertake, ranks(2, 7)) {
  constexpr int kMessages = 300;
  if (rank == 1) {
    std::vector<Bytes> data;
    std::vector<MPI_Request> requests(kMessages);
    for (int i = 0; i < kMessages; ++i) {
      data.push_back(numbered(i));
      MPI_Isend(data.back().data(), bytes_of(i), MPI_BYTE, 0, 5, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
  } else if (rank == 0) {
    std::mt19937 random(static_cast<unsigned>(seed()));
    Bytes room(70000);
    for (int i = 0; i < kMessages; ++i) {
      const int tag = random() % 2 == 0 ? 5 : MPI_ANY_TAG;
      const int source = random() % 2 == 0 ? 1 : MPI_ANY_SOURCE;
      MPI_Status status;
      MPI_Recv(room.data(), 70000, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status);
      ASSERT_EQ(*reinterpret_cast<int*>(room.data()), i);
      ASSERT_EQ(count_of(status, MPI_BYTE), bytes_of(i));
    }
  }
}

RANKS_TEST(Order, PostedReceivesAreFilledInPostingOrder, ranks(2, 4)) {
  constexpr int kMessages = 200;
  std::vector<int> got(kMessages, -1);
  std::vector<MPI_Request> requests(kMessages);
  if (rank == 0) {
    for (int i = 0; i < kMessages; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int source = i % 3 == 0 ? MPI_ANY_SOURCE : 1, tag = i % 4 == 0 ? MPI_ANY_TAG : 9;
      MPI_Irecv(&got[at], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &requests[at]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    for (int i = 0; i < kMessages; ++i) MPI_Send(&i, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < kMessages; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
  }
}

RANKS_TEST(Order, AnyOfSeveralWildcardReceivesKeepsEachSendersOrder, ranks(2, 7)) {
  // Each receive is posted again where it was, so places in the array and ages do not agree.
  constexpr int kReceives = 4, kEach = 400;
  if (rank != 0) {
    for (int i = 0; i < kEach; ++i) {
      const Bytes data = numbered(i);
      MPI_Send(data.data(), bytes_of(i), MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    return;
  }
  std::vector<Bytes> rooms(kReceives, Bytes(20000));
  std::vector<MPI_Request> requests(kReceives);
  const auto post = [&](std::size_t at) {
    MPI_Irecv(rooms[at].data(), 20000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &requests[at]);
  };
  for (std::size_t at = 0; at < kReceives; ++at) post(at);
  std::vector<int> next(static_cast<std::size_t>(size), 0);
  for (int left = (size - 1) * kEach; left > 0; --left) {
    int index = 0, flag = 0;
    MPI_Status status;
    if (left % 3 == 0) {
      MPI_Waitany(kReceives, requests.data(), &index, &status);
    } else {
      while (!flag) MPI_Testany(kReceives, requests.data(), &index, &flag, &status);
    }
    EXPECT_EQ(status.MPI_TAG, next[static_cast<std::size_t>(status.MPI_SOURCE)]++);
    post(static_cast<std::size_t>(index));
  }
  for (MPI_Request& request : requests) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

RANKS_TEST(Order, TagsAndSourcesAreToldApart, ranks(4, 7)) {
  constexpr int kTags = 50;
  if (rank != 0) {
    for (int tag = 0; tag < kTags; ++tag) {
      const int value = rank * 1000 + tag;
      MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    return;
  }
  for (int tag = kTags; tag-- > 0;) {
    for (int source = size; source-- > 1;) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(value, source * 1000 + tag);
    }
  }
}

RANKS_TEST(Order, HoldsForEachThreadOfARank, ranks(2, 4)) {
  // Threads t of all ranks talk to threads t of the next rank, all at the same time.
  constexpr int kThreads = 3, kMessages = 200;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const auto talk = [=](int thread) {
    Bytes room(70000);
    for (int i = 0; i < kMessages; ++i) {
      const Bytes data = numbered(i);
      MPI_Request request;
      MPI_Isend(data.data(), bytes_of(i), MPI_BYTE, next, thread, MPI_COMM_WORLD, &request);
      MPI_Recv(room.data(), 70000, MPI_BYTE, previous, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(*reinterpret_cast<int*>(room.data()), i);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  };
  RankThreads threads;
  for (int t = 1; t < kThreads; ++t) threads.start([&talk, t] { talk(t); });
  talk(0);
  threads.join();
}

RANKS_TEST(Order, ThreadsShareAWildcardWithoutLosingAMessage, ranks(2)) {
  constexpr int kThreads = 4, kEach = 250;
  if (rank == 0) {
    for (int i = 0; i < kThreads * kEach; ++i) MPI_Send(&i, 1, MPI_INT, 1, i % 3, MPI_COMM_WORLD);
    return;
  }
  std::vector<std::vector<int>> got(kThreads);
  RankThreads threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.start([&got, t] {
      for (int i = 0; i < kEach; ++i) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        got[static_cast<std::size_t>(t)].push_back(value);
      }
    });
  }
  threads.join();
  std::vector<int> seen(kThreads * kEach, 0);
  for (const std::vector<int>& mine : got) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_GE(mine[i], 0);
      ++seen[static_cast<std::size_t>(mine[i])];
      // The stream that each one sees is in order.
      EXPECT_TRUE(i == 0 || mine[i - 1] < mine[i]);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(kThreads * kEach, 1));
}
