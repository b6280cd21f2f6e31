// When communicators and groups end, and what outlives them (MPI 5.0 §7.4.3).

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "tests/comm/members.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

// Bytes that the process has from glibc's malloc. Sanitizers have their own, beside which glibc's breaks when it is asked.
std::size_t bytes_in_use() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

bool policy_is(const char* name) {
  const char* policy = std::getenv("HEDDLE_LIFETIME");
  return policy != nullptr && std::strcmp(policy, name) == 0;
}

bool objects_end() {
  return !policy_is("none");
}

}  // namespace

using heddle::testing::count_up;
using heddle::testing::expect_apart;
using heddle::testing::members_of;
using heddle::testing::RankThreads;

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

RANKS_TEST(Asserted, DebugBuildsRefuseToFreeWhatIsInUse, ranks(1, 4)) {
  if (policy_is("asserted")) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    int in[2] = {};
    const int out[2] = {rank, size};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in, 1, type, (rank + 1) % size, 0, comm, &request);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    MPI_Send(out, 1, type, (rank + size - 1) % size, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in[0], (rank + 1) % size);
    EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
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

// Figure 1 of lifetime (docs/papers.md): everything is freed while receives are pending, then the program works.
RANKS_TEST(Lifetime, OfWhatPendingReceivesUseEndsAfterThem, ranks(1, 2, 4, 7)) {
  constexpr int kReceives = 200, kBlocks = 64;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_vector(kBlocks, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  std::vector<std::vector<int>> in(kReceives, std::vector<int>(2 * kBlocks, -1));
  std::vector<MPI_Request> receives(kReceives);
  for (int i = 0; i < kReceives; ++i) {
    MPI_Irecv(in[i].data(), 1, every_other, left, i, comm, &receives[i]);
  }
  std::vector<std::vector<int>> out;
  std::vector<MPI_Request> sends(kReceives);
  for (int i = 0; i < kReceives; ++i) {
    out.emplace_back(kBlocks, i);
    MPI_Send_init(out.back().data(), kBlocks, MPI_INT, right, i, comm, &sends[i]);
  }
  MPI_Comm_free(&comm);
  MPI_Type_free(&every_other);

  // Works, and reuses whatever memory was given back too early.
  for (int i = 0; i < 2000; ++i) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Type_vector(3 + i % 5, 2, 7, MPI_CHAR, &type);
    MPI_Comm_free(&other);
    MPI_Type_free(&type);
  }

  MPI_Startall(kReceives, sends.data());
  MPI_Waitall(kReceives, receives.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(kReceives, sends.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& send : sends) MPI_Request_free(&send);
  for (int i = 0; i < kReceives; ++i) {
    for (int j = 0; j < 2 * kBlocks; ++j) ASSERT_EQ(in[i][j], j % 2 == 0 ? i : -1);
  }
}

RANKS_TEST(Lifetime, OfAMillionCommunicatorsInARowTakesNoMemory, ranks(1, 2)) {
  const int count = size == 1 ? 1'000'000 : 50'000;
  std::size_t before = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(size == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    if (i == count / 10) before = bytes_in_use();
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);  // or messages of a rank that is ahead pile up
  }
  if (objects_end()) {
    EXPECT_LT(bytes_in_use(), before + (1 << 20));
  }
}

// The lanes of partitioned communication go with their communicators, too.
RANKS_TEST(Lifetime, OfManyCommunicatorsWithPartitionsTakesNoMemory, ranks(2)) {
  const int count = 2000;
  std::size_t before = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int data = i;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    if (rank == 0) {
      MPI_Psend_init(&data, 1, 1, MPI_INT, 1, 0, comm, MPI_INFO_NULL, &request);
    } else {
      MPI_Precv_init(&data, 1, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &request);
    }
    MPI_Start(&request);
    if (rank == 0) MPI_Pready(0, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    ASSERT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == count / 4) before = bytes_in_use();
  }
  if (objects_end()) {
    EXPECT_LT(bytes_in_use(), before + (1 << 18));
  }
}

RANKS_TEST(Lifetime, OfAChainOfTypesEndsWithoutRecursion, ranks(1, 2)) {
  MPI_Datatype last = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &last);
  for (int i = 1; i < 100'000; ++i) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, last, &next);
    MPI_Type_free(&last);
    last = next;
  }
  MPI_Type_free(&last);
}

// A thread waits for a message; another one frees its communicator and datatype and goes on.
RANKS_TEST(LifetimeThread, OfWhatABlockedCallUsesEndsAfterIt, ranks(2, 4)) {
  struct Call {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int self = 0, from = 0;
    int values[2] = {-1, -1};
  } call;
  MPI_Comm_dup(MPI_COMM_WORLD, &call.comm);
  MPI_Type_vector(2, 1, 1, MPI_INT, &call.type);
  MPI_Type_commit(&call.type);
  call.self = rank;
  call.from = (rank + size - 1) % size;
  RankThreads threads;
  threads.start([&call] {
    MPI_Sendrecv(nullptr, 0, MPI_INT, call.self, 2, call.values, 1, call.type, call.from, 1,
                 call.comm, MPI_STATUS_IGNORE);
  });
  // Now it is inside of its call.
  MPI_Recv(nullptr, 0, MPI_INT, rank, 2, call.comm, MPI_STATUS_IGNORE);
  int out[2] = {rank, rank + 1};
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Send_init(out, 2, MPI_INT, (rank + 1) % size, 1, call.comm, &send);
  MPI_Comm_free(&call.comm);
  MPI_Type_free(&call.type);
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm_free(&other);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  threads.join();
  EXPECT_EQ(call.values[0], call.from);
  EXPECT_EQ(call.values[1], call.from + 1);
}
