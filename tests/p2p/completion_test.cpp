// Wait and test, one, any, some and all (MPI 5.0 §3.7.3, §3.7.5, §3.7.6).

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kPending = 24;

// kPending receives at rank 0, each with a tag of its own; the others send them in random order.
struct Pending {
  std::vector<int> values = std::vector<int>(kPending, -1);
  std::vector<MPI_Request> requests = std::vector<MPI_Request>(kPending, MPI_REQUEST_NULL);

  void post() {
    for (int i = 0; i < kPending; ++i) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Irecv(&values[at], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[at]);
    }
  }
  void check(int index, const MPI_Status& status) const {
    EXPECT_EQ(status.MPI_TAG, index);
    EXPECT_EQ(values[static_cast<std::size_t>(index)], 100 * status.MPI_SOURCE + index);
    EXPECT_EQ(count_of(status, MPI_INT), 1);
    EXPECT_EQ(requests[static_cast<std::size_t>(index)], MPI_REQUEST_NULL);
  }
};

void send_in_random_order(int rank, int size, unsigned salt) {
  std::vector<int> tags(kPending);
  std::iota(tags.begin(), tags.end(), 0);
  std::mt19937 random(static_cast<unsigned>(seed()) + salt);
  std::shuffle(tags.begin(), tags.end(), random);
  for (const int tag : tags) {
    if (1 + tag % (size - 1) != rank) continue;
    const int value = 100 * rank + tag;
    MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

}  // namespace

RANKS_TEST(Wait, AnyReturnsEachRequestOnce, ranks(2, 4, 7)) {
  for (unsigned round = 0; round < 20; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
      send_in_random_order(rank, size, round);
      continue;
    }
    Pending pending;
    pending.post();
    for (int i = 0; i < kPending; ++i) {
      int index = -1;
      MPI_Status status;
      ASSERT_EQ(MPI_Waitany(kPending, pending.requests.data(), &index, &status), MPI_SUCCESS);
      ASSERT_TRUE(index >= 0 && index < kPending);
      pending.check(index, status);
    }
    int index = 0;
    MPI_Waitany(kPending, pending.requests.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, MPI_UNDEFINED);
  }
}

RANKS_TEST(Wait, SomeReturnsEachRequestOnce, ranks(2, 4, 7)) {
  for (unsigned round = 0; round < 20; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
      send_in_random_order(rank, size, round);
      continue;
    }
    Pending pending;
    pending.post();
    std::vector<int> indices(kPending);
    std::vector<MPI_Status> statuses(kPending);
    for (int done = 0; done < kPending;) {
      int count = 0;
      ASSERT_EQ(
          MPI_Waitsome(kPending, pending.requests.data(), &count, indices.data(), statuses.data()),
          MPI_SUCCESS);
      ASSERT_GT(count, 0);
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        pending.check(indices[at], statuses[at]);
      }
      done += count;
    }
    int count = 0;
    MPI_Waitsome(kPending, pending.requests.data(), &count, indices.data(), statuses.data());
    EXPECT_EQ(count, MPI_UNDEFINED);
  }
}

RANKS_TEST(Test, LoopsOfEveryKindComeToAnEnd, ranks(2, 4, 7)) {
  for (unsigned round = 0; round < 12; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
      send_in_random_order(rank, size, round);
      continue;
    }
    Pending pending;
    pending.post();
    std::vector<MPI_Status> statuses(kPending);
    std::vector<int> indices(kPending);
    int done = 0, flag = 0, index = 0, count = 0;
    switch (round % 4) {
      case 0:
        for (int i = 0; i < kPending; ++i) {
          const auto at = static_cast<std::size_t>(i);
          do {
            MPI_Test(&pending.requests[at], &flag, &statuses[at]);
          } while (!flag);
          pending.check(i, statuses[at]);
        }
        break;
      case 1:
        while (!flag) MPI_Testall(kPending, pending.requests.data(), &flag, statuses.data());
        for (int i = 0; i < kPending; ++i) pending.check(i, statuses[static_cast<std::size_t>(i)]);
        break;
      case 2:
        while (done < kPending) {
          MPI_Testany(kPending, pending.requests.data(), &index, &flag, statuses.data());
          if (!flag) continue;
          ++done;
          pending.check(index, statuses[0]);
        }
        MPI_Testany(kPending, pending.requests.data(), &index, &flag, statuses.data());
        EXPECT_TRUE(flag);
        EXPECT_EQ(index, MPI_UNDEFINED);
        break;
      default:
        while (done < kPending) {
          MPI_Testsome(kPending, pending.requests.data(), &count, indices.data(), statuses.data());
          for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            pending.check(indices[at], statuses[at]);
          }
          done += count;
        }
        MPI_Testsome(kPending, pending.requests.data(), &count, indices.data(), statuses.data());
        EXPECT_EQ(count, MPI_UNDEFINED);
    }
  }
}

RANKS_TEST(Test, NullRequestsAreDoneWithAnEmptyStatus, ranks(1)) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[2];
  int flag = 0;
  status.MPI_ERROR = MPI_ERR_OTHER;
  EXPECT_EQ(MPI_Wait(&requests[0], &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
  status.MPI_ERROR = MPI_ERR_OTHER;
  EXPECT_EQ(MPI_Request_get_status(requests[0], &flag, &status), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_INT), 0);
  EXPECT_EQ(MPI_Test(&requests[0], &flag, &status), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  flag = 0;
  EXPECT_EQ(MPI_Testall(2, requests, &flag, statuses), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  EXPECT_EQ(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

RANKS_TEST(Test, SomeOfNoRequestsNeedNoArrays, ranks(1)) {
  int count = 0;
  EXPECT_EQ(MPI_Testsome(0, nullptr, &count, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
  count = 0;
  EXPECT_EQ(MPI_Waitsome(0, nullptr, &count, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
}

RANKS_TEST(RequestGetStatus, LeavesTheRequestAlone, ranks(1, 2)) {
  int sent = rank, got = -1, flag = 0;
  const int peer = size - 1 - rank;
  MPI_Request requests[2];
  MPI_Irecv(&got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  if (size == 1) {
    EXPECT_FALSE(flag);
  }
  MPI_Isend(&sent, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
  flag = 0;
  MPI_Status status;
  while (!flag) MPI_Request_get_status(requests[0], &flag, &status);
  EXPECT_EQ(status.MPI_SOURCE, peer);
  EXPECT_EQ(got, peer);
  flag = 0;
  MPI_Status statuses[2];
  int index = -1, count = -1, indices[2];
  MPI_Request_get_status_all(2, requests, &flag, statuses);
  EXPECT_TRUE(flag);
  EXPECT_EQ(statuses[0].MPI_SOURCE, peer);
  MPI_Request_get_status_any(2, requests, &index, &flag, &status);
  EXPECT_TRUE(index == 0 || index == 1) << index;
  MPI_Request_get_status_some(2, requests, &count, indices, statuses);
  EXPECT_EQ(count, 2);
  EXPECT_NE(requests[0], MPI_REQUEST_NULL);
  EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
  EXPECT_EQ(statuses[0].MPI_TAG, 1);
}
