// When communicators and groups end, and what outlives them (MPI 5.0 §7.4.3).

#include <random>

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

using heddle::testing::count_up;
using heddle::testing::expect_apart;
using heddle::testing::members_of;

RANKS_TEST(Free, LetsPendingMessagesFinish, ranks(2, 4, 7)) {
  // Large enough to wait at the receiver instead of being copied.
  constexpr int kCount = 1 << 18;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  std::vector<int> out(kCount, rank), in(kCount, -1);
  MPI_Request requests[2];
  MPI_Isend(out.data(), kCount, MPI_INT, right, 0, comm, &requests[0]);
  MPI_Irecv(in.data(), kCount, MPI_INT, left, 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  // What is made now must not meet the messages of the freed one.
  MPI_Comm next = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  expect_apart({next});
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(in, std::vector<int>(kCount, left));
  MPI_Comm_free(&next);
}

RANKS_TEST(Free, OfAGroupLeavesItsCommunicatorsAlone, ranks(1, 4)) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  MPI_Group_free(&group);
  EXPECT_EQ(members_of(comm), count_up(size));
  MPI_Comm_free(&comm);
}

RANKS_TEST(Dup, WorksAThousandTimes, ranks(1, 2, 4, 7)) {
  std::vector<MPI_Comm> comms(1000, MPI_COMM_NULL);
  for (MPI_Comm& comm : comms) ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
  expect_apart(comms);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
  }
}

// Ranks form pairs again and again, by masks of their rank; each pair makes communicators at its
// own pace while the others do the same, and keeps a few of them.
RANKS_TEST(Dup, RunsOnManyCommunicatorsAtOnce, ranks(2, 4, 7, 16)) {
  std::vector<MPI_Comm> kept;
  for (int mask = 1; mask < size; mask <<= 1) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank & ~mask, rank, &part);
    std::mt19937 random(static_cast<unsigned>(rank & ~mask));  // the same for the whole part
    const unsigned rounds = 50 + random() % 50;
    for (unsigned i = 0; i < rounds; ++i) {
      MPI_Comm copy = MPI_COMM_NULL;
      ASSERT_EQ(MPI_Comm_dup(random() % 2 == 0 || kept.empty() ? part : kept.back(), &copy),
                MPI_SUCCESS);
      if (i % 10 == 0) {
        kept.push_back(copy);
      } else {
        MPI_Comm_free(&copy);
      }
    }
    expect_apart(kept);
    for (MPI_Comm& comm : kept) MPI_Comm_free(&comm);
    kept.clear();
    MPI_Comm_free(&part);
  }
}

RANKS_TEST(Free, RefusesPredefinedNullFreedAndGarbageHandles, ranks(1, 2)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &freed);
  MPI_Comm old = freed;
  MPI_Comm_free(&freed);
  MPI_Comm wrong[] = {MPI_COMM_WORLD,
                      MPI_COMM_SELF,
                      MPI_COMM_NULL,
                      old,
                      reinterpret_cast<MPI_Comm>(MPI_INT),
                      reinterpret_cast<MPI_Comm>(0xdeadbeefdeadbeef),
                      reinterpret_cast<MPI_Comm>(std::intptr_t{-1}),
                      nullptr};
  for (MPI_Comm comm : wrong) {
    MPI_Comm before = comm;
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_disconnect(&comm), MPI_ERR_COMM);
    EXPECT_EQ(comm, before);
  }
  int n = 0;
  EXPECT_EQ(MPI_Comm_size(MPI_COMM_WORLD, &n), MPI_SUCCESS) << "still there";
  EXPECT_EQ(MPI_Comm_size(old, &n), MPI_ERR_COMM);
}
