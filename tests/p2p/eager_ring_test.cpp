// Small messages between ranks that spin for them, and whatever must not pass them (MPI 5.0 §3.5, §3.7, §3.8). They go
// past the lane's lock (src/mpi/match/eager_ring.h).

#include <array>
#include <thread>

#include "heddle/mpix.h"
#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kTags = 3;

// Ranks 0 and 1 give each other the same number.
void exchange(int rank, int tag, int out) {
  int in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, tag, &in, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  ASSERT_EQ(in, out);
}

// They do so with every tag, so that both expect the next messages to be small, too.
void exchange(int rank) {
  for (int i = 0; i < 8; ++i) {
    for (int tag = 0; tag < kTags; ++tag) exchange(rank, tag, 100 * i + tag);
  }
}

void send_int(int value, int tag) {
  MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

int receive_int(int tag) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

}  // namespace

RANKS_TEST(EagerRing, AReceiveThatWasFreedHasItsMessageBeforeALaterOne, ranks(2, 4)) {
  for (int round = 0; round < 50 && rank < 2; ++round) {
    exchange(rank);
    if (rank == 1) {
      send_int(round, 0);
      send_int(-round, 1);
      continue;
    }
    int early = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&early, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    EXPECT_EQ(receive_int(1), -round);
    EXPECT_EQ(early, round);
  }
}

RANKS_TEST(EagerRing, AReceiveOfAnyTagTakesWhatWasSentFirst, ranks(2, 4)) {
  constexpr int kMessages = 12;
  for (int round = 0; round < 50 && rank < 2; ++round) {
    exchange(rank);
    for (int i = 0; i < kMessages; ++i) {
      if (rank == 1) {
        send_int(i, (i + round) % kTags);
      } else {
        MPI_Status status;
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, round % 2 == 0 ? 1 : MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
        ASSERT_EQ(value, i);
        ASSERT_EQ(status.MPI_TAG, (i + round) % kTags);
      }
    }
  }
}

RANKS_TEST(EagerRing, MessagesOfAllSizesAndModesKeepTheirOrder, ranks(2, 4)) {
  constexpr std::array<int, 6> kBytes = {4, 108, 109, 5000, 0, 8};
  for (int round = 0; round < 50 && rank < 2; ++round) {
    exchange(rank);
    for (std::size_t i = 0; i < kBytes.size(); ++i) {
      const Bytes data = payload(kBytes[i], 1, static_cast<int>(i));
      if (rank == 1) {
        if ((round + static_cast<int>(i)) % 3 == 0) {
          MPI_Ssend(data.data(), kBytes[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        } else {
          MPI_Send(data.data(), kBytes[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        continue;
      }
      Bytes room = room_for(5000);
      MPI_Status status;
      MPI_Message message = MPI_MESSAGE_NULL;
      switch ((round + static_cast<int>(i)) % 4) {
        case 0:
          MPI_Recv(room.data(), 5000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &status);
          break;
        case 1:
          MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
          MPI_Mrecv(room.data(), 5000, MPI_BYTE, &message, &status);
          break;
        case 2: {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Irecv(room.data(), 5000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
          for (int flag = 0; !flag;) MPI_Test(&request, &flag, &status);
          break;
        }
        default: {
          for (int flag = 0; !flag;) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
          MPI_Request request = MPI_REQUEST_NULL;
          int index = -1;
          MPI_Irecv(room.data(), 5000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
          MPI_Waitany(1, &request, &index, &status);
        }
      }
      ASSERT_EQ(count_of(status, MPI_BYTE), kBytes[i]);
      ASSERT_TRUE(holds(room, data));
    }
  }
}

RANKS_TEST(EagerRing, ACancelledReceiveLeavesItsMessageToTheNext, ranks(2, 4)) {
  for (int round = 0; round < 50 && rank < 2; ++round) {
    exchange(rank);
    if (rank == 1) {
      send_int(7, 0);
      send_int(8, 0);
      continue;
    }
    int first = -1, cancelled = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Irecv(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled) {
      EXPECT_EQ(receive_int(0), 7);
    } else {
      EXPECT_EQ(first, 7);
    }
    EXPECT_EQ(receive_int(0), 8);
  }
}

RANKS_TEST(EagerRing, AMessageThatIsTooLongForItsReceiveIsTruncated, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int round = 0; round < 20 && rank < 2; ++round) {
    exchange(rank);
    if (rank == 1) {
      const std::array<int, 2> pair = {round, -round};
      MPI_Send(pair.data(), 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
      send_int(round, 0);
      continue;
    }
    std::array<int, 2> room = {-1, -1};
    const int code = MPI_Recv(room.data(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    EXPECT_EQ(room[1], -1);
    EXPECT_EQ(receive_int(0), round);
  }
}

RANKS_TEST(EagerRing, PersistentReceivesGetThem, ranks(2, 4)) {
  if (rank > 1) return;
  int value = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 200; ++round) {
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(value, round);
  }
  MPI_Request_free(&request);
}

// A round of what most programs do: receives first, then sends, then a wait for all of them.
RANKS_TEST(EagerRing, AWaitForAllGetsThem, ranks(2, 4)) {
  for (int round = 0; round < 300 && rank < 2; ++round) {
    std::array<int, kTags> in = {-1, -1, -1}, out = {};
    std::array<MPI_Request, std::size_t{2}* kTags> requests = {};
    for (int tag = 0; tag < kTags; ++tag) {
      const auto i = static_cast<std::size_t>(tag);
      out[i] = 10 * round + tag;
      MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[kTags + i]);
    }
    MPI_Waitall(2 * kTags, requests.data(), MPI_STATUSES_IGNORE);
    ASSERT_EQ(in, out);
  }
}

RANKS_TEST(EagerRing, AnIsendrecvGetsThemHoweverItIsWaitedFor, ranks(2, 4)) {
  for (int round = 0; round < 100 && rank < 2; ++round) {
    exchange(rank);
    int in = -1;
    const int out = 10 * round + rank;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                  &request);
    switch ((round + rank) % 4) {
      case 0:
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 1:
        for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        break;
      case 2: {
        int index = -1;
        MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        break;
      }
      default:
        MPI_Request_free(&request);  // the exchange below is done after it
    }
    int later = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 1, &later, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    ASSERT_EQ(later, 10 * round + 1 - rank);
    ASSERT_EQ(in, 10 * round + 1 - rank);
  }
}

RANKS_TEST(EagerRing, RanksThatMoveGetThem, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                          MPI_ERRORS_RETURN);  // a rank that is a process does not move
  for (int round = 0; round < 50 && rank < 2; ++round) {
    exchange(rank);
    int in = -1, worker = 0, workers = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers);
    if (round % 2 == rank) MPIX_Rank_migrate(MPI_COMM_WORLD, rank, (worker + 1) % workers);
    MPI_Send(&round, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(in, round);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Each for its own tag; one with probes and wildcards.
RANKS_TEST(EagerRing, ThreadsOfARankGetTheirOwn, ranks(2)) {
  constexpr int kRounds = 100, kThreads = 4;
  const auto exchange_own = [rank](int tag) {
    for (int round = 0; round < kRounds; ++round) exchange(rank, tag, 1000 * tag + round);
  };
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread(exchange_own, static_cast<int>(i));
  }
  for (int round = 0; round < kRounds; ++round) {
    int in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&round, 1, MPI_INT, 1 - rank, kThreads, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, kThreads, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, kThreads, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(in, round);
  }
  for (std::thread& thread : threads) thread.join();
}
