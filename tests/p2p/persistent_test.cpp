// Persistent requests: started as often as one likes (MPI 5.0 §3.9).

#include <algorithm>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

using InitFunction = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

}  // namespace

RANKS_TEST(Persistent, EveryModeCanBeStartedAgain, ranks(1, 2, 4, 7)) {
  Bytes attached((1 << 20) + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (const InitFunction init : {MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init}) {
    for (const int bytes : {8, 1000, 50000}) {
      Bytes data = payload(bytes, rank, 0), room = room_for(bytes);
      MPI_Request requests[2];
      ASSERT_EQ(
          MPI_Recv_init(room.data(), bytes, MPI_BYTE, previous, 2, MPI_COMM_WORLD, &requests[0]),
          MPI_SUCCESS);
      ASSERT_EQ(init(data.data(), bytes, MPI_BYTE, next, 2, MPI_COMM_WORLD, &requests[1]),
                MPI_SUCCESS);
      const MPI_Request before = requests[0];
      for (int round = 0; round < 5; ++round) {
        const Bytes next_data = payload(bytes, rank, round);
        std::copy(next_data.begin(), next_data.end(), data.begin());
        ASSERT_EQ(MPI_Startall(2, requests), MPI_SUCCESS);
        MPI_Status statuses[2];
        ASSERT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
        EXPECT_EQ(requests[0], before);
        EXPECT_TRUE(holds(room, payload(bytes, previous, round)));
        EXPECT_EQ(count_of(statuses[0], MPI_BYTE), bytes);
        // Inactive now: waiting returns at once with an empty status.
        ASSERT_EQ(MPI_Wait(&requests[0], &statuses[0]), MPI_SUCCESS);
        EXPECT_EQ(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);
        EXPECT_EQ(requests[0], before);
      }
      MPI_Request_free(&requests[0]);
      MPI_Request_free(&requests[1]);
      EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
    }
  }
  void* address;
  int bytes;
  MPI_Buffer_detach(&address, &bytes);
}

RANKS_TEST(Persistent, InactiveRequestsDoNotCount, ranks(1)) {
  int value = 0, index = 0, flag = 0;
  MPI_Request request;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  EXPECT_EQ(index, MPI_UNDEFINED);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  EXPECT_TRUE(flag);
  MPI_Request_free(&request);
}

RANKS_TEST(Persistent, OnlyInactivePersistentRequestsStart, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int value = 0;
  MPI_Request once, again;
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &once);
  EXPECT_EQ(MPI_Start(&once), MPI_ERR_REQUEST);
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &again);
  EXPECT_EQ(MPI_Start(&again), MPI_SUCCESS);
  EXPECT_EQ(MPI_Start(&again), MPI_ERR_REQUEST);
  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Wait(&once, MPI_STATUS_IGNORE);
  MPI_Wait(&again, MPI_STATUS_IGNORE);
  MPI_Request_free(&again);
}

RANKS_TEST(RequestFree, TheOperationGoesOn, ranks(2)) {
  // A large send, freed while active; its buffer stays until the receiver has said so.
  Bytes data = payload(100000, 0, 0), room = room_for(100000);
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(data.data(), 100000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(room.data(), 100000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(holds(room, data));
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
}
