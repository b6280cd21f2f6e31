// The attached buffer limits what buffered sends may keep (MPI 5.0 §3.6).

#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;
}  // namespace

RANKS_TEST(Buffered, RunsOutOfRoomAndGetsItBack, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Bytes data(4 * MPI_BSEND_OVERHEAD);
  const int length = static_cast<int>(data.size());
  const auto send = [&] { return MPI_Bsend(data.data(), length, MPI_BYTE, 0, 0, MPI_COMM_WORLD); };
  EXPECT_EQ(send(), MPI_ERR_BUFFER);
  Bytes memory(2 * (data.size() + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(send(), MPI_SUCCESS);
    EXPECT_EQ(send(), MPI_SUCCESS);
    EXPECT_EQ(send(), MPI_ERR_BUFFER);
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(data.data(), length, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  void* address = nullptr;
  int bytes = 0;
  EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(address, memory.data());
}

// MPI_BSEND_OVERHEAD is the most that a message may take besides its payload. Programs written for
// MPIs with a smaller one attach less, as four test programs of MPICH do.
RANKS_TEST(Buffered, TakesLessThanTheOverheadThatTheAbiNames, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Bytes memory(2000);
  char text[10] = "four", got[10] = "";
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  for (int tag = 0; tag < 4; ++tag) {
    EXPECT_EQ(MPI_Bsend(text, sizeof text, MPI_CHAR, 0, tag, MPI_COMM_WORLD), MPI_SUCCESS);
  }
  for (int tag = 0; tag < 4; ++tag) {
    MPI_Recv(got, sizeof got, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_STREQ(got, "four");
  }
  void* address = nullptr;
  int bytes = 0;
  EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(bytes, 2000);
}

// An attached buffer without any room besides the payload is a mistake, as it is elsewhere.
RANKS_TEST(Buffered, TakesMoreThanThePayload, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Bytes memory(sizeof(int));
  int value = 1;
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  EXPECT_EQ(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  void* address = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&address, &bytes);
}

RANKS_TEST(Buffered, DetachWaitsForTheReceiver, ranks(2)) {
  constexpr int kValues = 1000, kAbout = 1, kData = 2;
  std::vector<int> values(kValues, 5);
  if (rank == 0) {
    Bytes memory(kValues * sizeof(int) + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    MPI_Bsend(values.data(), kValues, MPI_INT, 1, kData, MPI_COMM_WORLD);
    values.assign(kValues, 6);  // the buffer is free at once
    void* address;
    int bytes, flag = 0;
    MPI_Buffer_detach(&address, &bytes);
    MPI_Iprobe(1, kAbout, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_TRUE(flag);  // the receiver said so before it received
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, kAbout, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kAbout, MPI_COMM_WORLD);
    MPI_Recv(values.data(), kValues, MPI_INT, 0, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(values, std::vector<int>(kValues, 5));
  }
}

RANKS_TEST(Buffered, ACommunicatorHasItsOwnBuffer, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Bytes memory(sizeof(int) + MPI_BSEND_OVERHEAD);
  int value = 9, got = 0, bytes = 0;
  void* address = nullptr;
  ASSERT_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory.data(), static_cast<int>(memory.size())),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  MPI_Request request;
  MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request);
  int flag = 1;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, 9);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(address, memory.data());
}

// What the same strand sends before it waits is no matter of the flush.
RANKS_TEST(Buffered, AFlushIsForTheMessagesThatWereThere, ranks(1)) {
  Bytes memory(3 * (sizeof(int) + MPI_BSEND_OVERHEAD));
  int value = 1;
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  const auto send = [&](int tag) { MPI_Bsend(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); };
  const auto receive = [&](int tag) {
    MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  const auto is_done = [](MPI_Request* request) {
    int flag = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  };
  MPI_Request first, second;
  send(0);
  MPI_Buffer_iflush(&first);
  send(1);
  MPI_Buffer_iflush(&second);
  send(2);
  receive(1);
  EXPECT_FALSE(is_done(&first));
  EXPECT_FALSE(is_done(&second));
  receive(0);
  EXPECT_TRUE(is_done(&first));
  EXPECT_TRUE(is_done(&second));
  receive(2);
  void* address = nullptr;
  int bytes = 0;
  EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
}

RANKS_TEST(Buffered, OneOfTwoThreadsGetsTheBufferBack, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Bytes memory(sizeof(int) + MPI_BSEND_OVERHEAD);
  for (int round = 0; round < 20; ++round) {
    int value = round;
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    std::atomic<int> detached{0}, refused{0};
    const auto detach = [&] {
      void* address = nullptr;
      int bytes = 0;
      const int code = MPI_Buffer_detach(&address, &bytes);
      (code == MPI_SUCCESS ? detached : refused) += 1;
    };
    std::thread a(detach), b(detach);
    for (int i = 0; i < 1000 && refused == 0; ++i) sched_yield();
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    a.join();
    b.join();
    EXPECT_EQ(detached, 1);
    EXPECT_EQ(refused, 1);
  }
}

// Its successors may lie where it lay.
RANKS_TEST(Buffered, ACommunicatorTakesItsBufferWithIt, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Bytes memory(sizeof(int) + MPI_BSEND_OVERHEAD);
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int value = i;
    EXPECT_EQ(MPI_Bsend(&value, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER);
    ASSERT_EQ(MPI_Comm_attach_buffer(comm, memory.data(), static_cast<int>(memory.size())),
              MPI_SUCCESS);
    MPI_Comm_free(&comm);
  }
}

// A message that is never received is an error of the program, but must not end in freed memory.
RANKS_TEST(Buffered, AFlushThatWasFreedMayOutliveItsRank, ranks(2)) {
  if (rank == 0) {
    Bytes memory(sizeof(int) + MPI_BSEND_OVERHEAD);
    int value = 9;
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory.data(), static_cast<int>(memory.size()));
    MPI_Bsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
}

RANKS_TEST(Buffered, AutomaticBuffersHaveNoLimit, ranks(1)) {
  ASSERT_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  std::vector<int> values(100000, 4), got(100000, 0);
  EXPECT_EQ(MPI_Bsend(values.data(), 100000, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  MPI_Recv(got.data(), 100000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, values);
  void* address = nullptr;
  int bytes = -1;
  MPI_Buffer_detach(&address, &bytes);
  EXPECT_EQ(address, MPI_BUFFER_AUTOMATIC);
}

RANKS_TEST(Buffered, TheSizeOfAnAutomaticBufferMeansNothing, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const auto detach = [] {
    void* address = nullptr;
    int bytes = -1;
    EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
    EXPECT_EQ(address, MPI_BUFFER_AUTOMATIC);
    EXPECT_EQ(bytes, 0);
  };
  EXPECT_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, -7), MPI_SUCCESS);
  detach();
  EXPECT_EQ(MPI_Buffer_attach_c(MPI_BUFFER_AUTOMATIC, -7), MPI_SUCCESS);
  detach();
  void* address = nullptr;
  int bytes = -1;
  EXPECT_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, -7), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(MPI_Buffer_attach(&bytes, -7), MPI_ERR_ARG);
}
