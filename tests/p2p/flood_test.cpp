// What a receiver that receives nothing keeps of the messages of other hosts (src/mpi/p2p/remote/credit.h).
#include <gtest/gtest.h>
#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "tests/support/pretended_hosts.h"

namespace heddle::testing {
namespace {

constexpr int kGo = 1, kData = 2, kPing = 3;

struct Flood {
  int messages;
  int ints;  // of each
};
Flood flood;
std::atomic<int> sent;

std::size_t bytes_in_use() {
  return mallinfo2().uordblks;
}

void send_flood(int to) {
  std::vector<int> data(static_cast<std::size_t>(flood.ints));
  for (int i = 0; i < flood.messages; ++i) {
    std::fill(data.begin(), data.end(), i);
    MPI_Send(data.data(), flood.ints, MPI_INT, to, kData, MPI_COMM_WORLD);
    sent = i + 1;
  }
}

void receive_flood(int from) {
  std::vector<int> data(static_cast<std::size_t>(flood.ints));
  for (int i = 0; i < flood.messages; ++i) {
    MPI_Recv(data.data(), flood.ints, MPI_INT, from, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ASSERT_EQ(data, std::vector<int>(data.size(), i));
  }
}

// Polls until the sender has sent all, or nothing more for a while; returns the most memory in use.
std::size_t watch_sender() {
  std::size_t most = 0;
  for (int quiet = 0, before = -1; quiet < 2000 && sent < flood.messages; ++quiet) {
    int flag = 0;
    for (int i = 0; i < 10; ++i) {
      MPI_Iprobe(0, kGo, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    most = std::max(most, bytes_in_use());
    if (before != sent) quiet = 0;
    before = sent;
  }
  return std::max(most, bytes_in_use());
}

void run(int ranks, const HostsWanted& wanted, void (*body)(int rank)) {
  static void (*what)(int);
  what = body;
  sent = 0;
  PretendedHosts hosts(wanted);
  const auto rank_main = [](void*) {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what(rank);
    MPI_Finalize();
  };
  MPIX_Run_options options = {};
  options.workers = 2;
  ASSERT_EQ(hosts.run(ranks, rank_main, nullptr, options), MPI_SUCCESS);
}

void flood_one_that_receives_nothing(int rank) {
  if (rank == 0) return send_flood(1);
  const std::size_t before = bytes_in_use();
  EXPECT_LT(watch_sender(), before + (8 << 20));
  receive_flood(0);
  EXPECT_EQ(sent, flood.messages);
}

TEST(Credit, BoundsWhatAReceiverKeepsOfSmallMessages) {
  flood = {100000, 256};
  run(2, {.hosts = 2}, flood_one_that_receives_nothing);
}

TEST(Credit, BoundsItUnderFaults) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    flood = {20000, 200};
    run(2, {.hosts = 2, .fault_seed = seed}, flood_one_that_receives_nothing);
  }
}

TEST(Credit, BoundsWhatAReceiverKeepsOfEmptyMessages) {
  flood = {200000, 0};
  run(2, {.hosts = 2}, flood_one_that_receives_nothing);
}

// All sends have started before the first receive. Message i is the numbers from i on.
TEST(Credit, BoundsWhatAReceiverKeepsOfLargeMessages) {
  flood = {1000, 16 << 10};
  run(2, {.hosts = 2}, [](int rank) {
    const auto ints = static_cast<std::size_t>(flood.ints);
    const auto count = static_cast<std::size_t>(flood.messages);
    if (rank == 0) {
      std::vector<int> data(ints + count);
      std::iota(data.begin(), data.end(), 0);
      std::vector<MPI_Request> requests(count);
      for (std::size_t i = 0; i < count; ++i) {
        MPI_Isend(&data[i], flood.ints, MPI_INT, 1, kData, MPI_COMM_WORLD, &requests[i]);
      }
      MPI_Send(nullptr, 0, MPI_INT, 1, kGo, MPI_COMM_WORLD);
      MPI_Waitall(flood.messages, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      const std::size_t before = bytes_in_use();
      MPI_Recv(nullptr, 0, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_LT(bytes_in_use(), before + (8 << 20));
      std::vector<int> data(ints), expected(ints);
      for (int i = 0; i < flood.messages; ++i) {
        MPI_Recv(data.data(), flood.ints, MPI_INT, 0, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::iota(expected.begin(), expected.end(), i);
        ASSERT_EQ(data, expected);
      }
    }
  });
}

// True if a message of the flood's size leaves before its receiver takes it.
bool leaves(const std::vector<int>& data, int to, MPI_Request* request) {
  int flag = 0;
  MPI_Isend(data.data(), flood.ints, MPI_INT, to, kPing, MPI_COMM_WORLD, request);
  MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
  return flag;
}

// Ranks 0 and 1 are on host 0. Rank 0 has used up what host 0 may send to rank 2.
TEST(Credit, HoldsUpNoOtherRanks) {
  flood = {5000, 256};
  run(4, {.hosts = 2, .fault_seed = 3}, [](int rank) {
    std::vector<int> data(static_cast<std::size_t>(flood.ints));
    if (rank == 0) send_flood(2);
    if (rank == 1) {
      watch_sender();
      EXPECT_LT(sent, flood.messages);
      MPI_Request requests[3] = {};
      EXPECT_FALSE(leaves(data, 2, &requests[0]));
      EXPECT_TRUE(leaves(data, 3, &requests[1]));
      EXPECT_TRUE(leaves(data, 0, &requests[2]));
      MPI_Send(nullptr, 0, MPI_INT, 2, kGo, MPI_COMM_WORLD);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 2) {
      MPI_Recv(nullptr, 0, MPI_INT, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      receive_flood(0);
    }
    if (rank == 1) return;
    MPI_Recv(data.data(), flood.ints, MPI_INT, 1, kPing, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

// More than any credit, in both directions at once: nobody receives before it has started all its sends.
TEST(Credit, IsNotWaitedForByNonblockingSends) {
  flood = {3000, 100};
  run(4, {.hosts = 2, .fault_seed = 2}, [](int rank) {
    const int other = (rank + 2) % 4;
    const auto count = static_cast<std::size_t>(flood.messages);
    std::vector<int> data(count * static_cast<std::size_t>(flood.ints));
    std::vector<MPI_Request> requests(count);
    for (std::size_t i = 0; i < count; ++i) {
      int* const mine = data.data() + i * static_cast<std::size_t>(flood.ints);
      std::fill_n(mine, flood.ints, static_cast<int>(i));
      MPI_Isend(mine, flood.ints, MPI_INT, other, kData, MPI_COMM_WORLD, &requests[i]);
    }
    receive_flood(other);
    MPI_Waitall(flood.messages, requests.data(), MPI_STATUSES_IGNORE);
  });
}

}  // namespace
}  // namespace heddle::testing
