// How many packets one-sided calls cost between hosts: that is what their time is made of, and it
// is the same on any machine.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tests/rma/window.h"
#include "tests/support/pretended_hosts.h"

namespace heddle::testing {

namespace {

constexpr int kBytes = 40'000;  // three packets

struct Calls {
  int puts, bytes;
  std::uint64_t packets;  // from the origin
};

// The last packet of a put is answered without being asked, so its flush sends nothing. Of further
// puts the flush asks.
constexpr Calls kCalls[] = {{1, 8, 1},   {1, 8, 1}, {1, kBytes, 3},
                            {10, 8, 11}, {1, 8, 1}, {0, 0, 0}};

void count_packets(void* argument) {
  auto& hosts = *static_cast<PretendedHosts*>(argument);
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const TestWindow<char> window(kBytes, Made::kCreate);
    const std::vector<char> data(kBytes, 'x');
    MPI_Win_lock_all(0, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const Calls& calls : kCalls) {
      if (rank != 0) break;
      const std::uint64_t before = hosts.packets_from(0);
      for (int i = 0; i < calls.puts; ++i) {
        MPI_Put(data.data(), calls.bytes, MPI_CHAR, 1, 8 * i, calls.bytes, MPI_CHAR, window.win);
      }
      EXPECT_EQ(MPI_Win_flush(1, window.win), MPI_SUCCESS);
      EXPECT_EQ(hosts.packets_from(0) - before, calls.packets)
          << calls.puts << " puts of " << calls.bytes << " bytes";
    }
    MPI_Win_unlock_all(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      EXPECT_EQ(std::vector<char>(window.data, window.data + kBytes), data);
    }
  }
  MPI_Finalize();
}

}  // namespace

TEST(Packets, APutAndItsFlushAreOneRoundTrip) {
  MPIX_Run_options options = {};
  options.workers = 1;
  PretendedHosts hosts({.hosts = 2});
  ASSERT_EQ(hosts.run(2, count_packets, &hosts, options), MPI_SUCCESS);
}

}  // namespace heddle::testing
