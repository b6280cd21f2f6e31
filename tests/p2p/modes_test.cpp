// Every mode delivers every size whole, whichever side comes first (MPI 5.0 §3.4, §3.7).

#include <array>
#include <string>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

using SendFunction = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using IsendFunction = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

constexpr int kTag = 17;
constexpr std::array<SendFunction, 4> kBlocking = {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend};
constexpr std::array<IsendFunction, 4> kNonblocking = {MPI_Isend, MPI_Issend, MPI_Irsend,
                                                       MPI_Ibsend};

// Room for the largest message in a buffered send.
class Attached {
 public:
  Attached() : memory_((2 << 20) + MPI_BSEND_OVERHEAD) {
    MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
  }
  ~Attached() {
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
    EXPECT_EQ(address, memory_.data());
    EXPECT_EQ(bytes, static_cast<int>(memory_.size()));
  }

 private:
  Bytes memory_;
};

void receive_and_check(int bytes, int from, int number) {
  Bytes room = room_for(bytes);
  MPI_Status status;
  status.MPI_ERROR = 4711;
  ASSERT_EQ(MPI_Recv(room.data(), bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD, &status),
            MPI_SUCCESS);
  EXPECT_TRUE(holds(room, payload(bytes, from, number)));
  EXPECT_EQ(status.MPI_SOURCE, from);
  EXPECT_EQ(status.MPI_TAG, kTag);
  EXPECT_EQ(status.MPI_ERROR, 4711);  // a single completion leaves it alone
  EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
}

}  // namespace

RANKS_TEST(Modes, BlockingSendsArriveWhole, ranks(2, 4, 7)) {
  Attached attached;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (std::size_t mode = 0; mode < kBlocking.size(); ++mode) {
    for (const int bytes : kSizes) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes in mode " + std::to_string(mode));
      // Half of the ranks send first, so that both orders happen.
      const Bytes data = payload(bytes, rank, static_cast<int>(mode));
      if (rank == 0) receive_and_check(bytes, previous, static_cast<int>(mode));
      ASSERT_EQ(kBlocking[mode](data.data(), bytes, MPI_BYTE, next, kTag, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (rank != 0) receive_and_check(bytes, previous, static_cast<int>(mode));
    }
  }
}

RANKS_TEST(Modes, NonblockingSendsArriveWhole, ranks(1, 2, 4, 7)) {
  Attached attached;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (std::size_t mode = 0; mode < kNonblocking.size(); ++mode) {
    for (const int bytes : kSizes) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes in mode " + std::to_string(mode));
      const Bytes data = payload(bytes, rank, static_cast<int>(mode));
      MPI_Request request = MPI_REQUEST_NULL;
      ASSERT_EQ(
          kNonblocking[mode](data.data(), bytes, MPI_BYTE, next, kTag, MPI_COMM_WORLD, &request),
          MPI_SUCCESS);
      ASSERT_NE(request, MPI_REQUEST_NULL);
      receive_and_check(bytes, previous, static_cast<int>(mode));
      ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
  }
}

RANKS_TEST(Modes, AnImmediateReceiveIsFilledInPlace, ranks(1, 2, 7)) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const int bytes : kSizes) {
    Bytes room = room_for(bytes);
    const Bytes data = payload(bytes, rank, 3);
    MPI_Request request;
    MPI_Irecv(room.data(), bytes, MPI_BYTE, previous, kTag, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);  // now it is posted, so a ready send is right
    MPI_Rsend(data.data(), bytes, MPI_BYTE, next, kTag, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Wait(&request, &status);
    EXPECT_TRUE(holds(room, payload(bytes, previous, 3))) << bytes << " bytes";
    EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
  }
}

RANKS_TEST(Modes, ASynchronousSendReturnsOnlyOnceItsReceiveHasStarted, ranks(2)) {
  // Rank 1 says in a message of its own that it is about to receive. If Ssend returned before the
  // receive, rank 0 would find no such message yet.
  constexpr int kAbout = 1, kData = 2;
  for (int round = 0; round < 100; ++round) {
    if (rank == 0) {
      ASSERT_EQ(MPI_Ssend(&round, 1, MPI_INT, 1, kData, MPI_COMM_WORLD), MPI_SUCCESS);
      int flag = 0;
      MPI_Iprobe(1, kAbout, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      EXPECT_TRUE(flag);
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, kAbout, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      int got = -1;
      for (int i = 0; i < round % 5; ++i) {  // let rank 0 get into its send
        int flag = 0;
        MPI_Iprobe(0, kAbout, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kAbout, MPI_COMM_WORLD);
      MPI_Recv(&got, 1, MPI_INT, 0, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, round);
    }
  }
}

RANKS_TEST(Modes, NobodyIsAGoodPartner, ranks(1, 2)) {
  int value = 5;
  MPI_Status status;
  EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status), MPI_SUCCESS);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(count_of(status, MPI_INT), 0);
  MPI_Request requests[2];
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Status statuses[2];
  EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
  EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
}

RANKS_TEST(Modes, NoElementsForNobodyNeedNoType, ranks(1, 2)) {
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Status status;
  EXPECT_EQ(MPI_Send(nullptr, 0, none, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Ssend(nullptr, 0, none, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Rsend(nullptr, 0, none, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Bsend(nullptr, 0, none, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Send_c(nullptr, 0, none, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Recv(nullptr, 0, none, MPI_PROC_NULL, 0, world, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(MPI_Sendrecv(nullptr, 0, none, MPI_PROC_NULL, 0, nullptr, 0, none, MPI_PROC_NULL, 0,
                         world, &status),
            MPI_SUCCESS);
  EXPECT_EQ(
      MPI_Sendrecv_replace(nullptr, 0, none, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, world, &status),
      MPI_SUCCESS);
  MPI_Request requests[6];
  EXPECT_EQ(MPI_Isend(nullptr, 0, none, MPI_PROC_NULL, 0, world, &requests[0]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Irecv(nullptr, 0, none, MPI_PROC_NULL, 0, world, &requests[1]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Isendrecv(nullptr, 0, none, MPI_PROC_NULL, 0, nullptr, 0, none, MPI_PROC_NULL, 0,
                          world, &requests[2]),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Isendrecv_replace(nullptr, 0, none, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, world,
                                  &requests[3]),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Send_init(nullptr, 0, none, MPI_PROC_NULL, 0, world, &requests[4]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Recv_init(nullptr, 0, none, MPI_PROC_NULL, 0, world, &requests[5]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Startall(2, &requests[4]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Waitall(6, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (int i = 4; i < 6; ++i) MPI_Request_free(&requests[i]);

  // Elements, a peer and a type that is none are wrong all the same.
  int value = 0;
  MPI_Datatype freed;
  MPI_Type_contiguous(1, MPI_INT, &freed);
  const MPI_Datatype stale = freed;
  MPI_Type_free(&freed);
  EXPECT_EQ(MPI_Send(&value, 1, none, MPI_PROC_NULL, 0, world), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Send(nullptr, 0, none, rank, 0, world), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Recv(nullptr, 0, none, MPI_ANY_SOURCE, 0, world, &status), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Send(nullptr, 0, stale, MPI_PROC_NULL, 0, world), MPI_ERR_TYPE);
  EXPECT_EQ(
      MPI_Sendrecv(nullptr, 0, none, MPI_PROC_NULL, 0, nullptr, 0, none, rank, 0, world, &status),
      MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Sendrecv_replace(nullptr, 0, none, rank, 0, MPI_PROC_NULL, 0, world, &status),
            MPI_ERR_TYPE);
}

RANKS_TEST(Modes, DerivedTypesArriveElementByElement, ranks(2, 7)) {
  // Every second int of a column-like layout to a dense buffer, and back.
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const int count : {1, 10, 64, 5000, 100000}) {
    MPI_Datatype spread;
    MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    std::vector<int> from(static_cast<std::size_t>(2 * count), -1), dense(from.size(), -2);
    std::vector<int> back(from.size(), -3);
    for (int i = 0; i < count; ++i) from[static_cast<std::size_t>(2 * i)] = rank * 1000000 + i;
    MPI_Request request;
    MPI_Isend(from.data(), 1, spread, next, kTag, MPI_COMM_WORLD, &request);
    MPI_Recv(dense.data(), count, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(dense.data(), count, MPI_INT, previous, kTag, MPI_COMM_WORLD, &request);
    MPI_Type_free(&spread);
    MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Request receive;
    MPI_Irecv(back.data(), 1, spread, next, kTag, MPI_COMM_WORLD, &receive);
    MPI_Type_free(&spread);  // the pending receive keeps it
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(dense[at], previous * 1000000 + i);
      ASSERT_EQ(back[2 * at], rank * 1000000 + i);
      ASSERT_EQ(back[2 * at + 1], -3);
    }
  }
}
