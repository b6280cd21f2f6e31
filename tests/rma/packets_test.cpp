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
      char byte = 0;
      MPI_Get(&byte, 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, window.win);  // all before it have left then
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

// One exclusive lock of rank 1, accesses, the unlock.
struct Epoch {
  const char* accesses;  // p: put, g: get, f: fetch, l: a long put, e: an empty one, s: flush
  std::uint64_t packets;
};

// The first small access takes the lock along, and the unlock leaves behind it. A second one waits
// for the answer of the first, and is a put like any other. Before a long one the lock is asked for.
constexpr Epoch kEpochs[] = {{"", 0},     {"e", 0},   {"ep", 2}, {"s", 0},  {"p", 2},
                             {"g", 2},    {"f", 2},   {"ps", 2}, {"pp", 3}, {"gp", 3},
                             {"psps", 3}, {"ppp", 5}, {"l", 5},  {"pl", 5}};

// The packets that rank 0 has sent, when all have left: those before a get leave before it. The
// get's epoch adds two packets: the get before the count, the unlock behind it.
constexpr std::uint64_t kToCount = 2;
std::uint64_t packets_until_now(PretendedHosts& hosts, MPI_Win win) {
  char byte = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Get(&byte, 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, win);
  const std::uint64_t packets = hosts.packets_from(0);
  MPI_Win_unlock(1, win);
  return packets;
}

void count_packets_of_locks(void* argument) {
  auto& hosts = *static_cast<PretendedHosts*>(argument);
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const TestWindow<char> window(kBytes, Made::kCreate);
    const std::vector<char> data(kBytes, 'x');
    for (const Epoch& epoch : kEpochs) {
      if (rank != 0) break;
      const std::uint64_t before = packets_until_now(hosts, window.win) + kToCount;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
      for (const char* access = epoch.accesses; *access != 0; ++access) {
        char byte = 0;
        int code = MPI_SUCCESS;
        switch (*access) {
          case 'p':
            code = MPI_Put(data.data(), 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, window.win);
            break;
          case 'g':
            code = MPI_Get(&byte, 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, window.win);
            break;
          case 'f':
            code = MPI_Fetch_and_op(data.data(), &byte, MPI_CHAR, 1, 0, MPI_REPLACE, window.win);
            break;
          case 'e':
            code = MPI_Put(data.data(), 0, MPI_CHAR, 1, 0, 0, MPI_CHAR, window.win);
            break;
          case 'l':
            code = MPI_Put(data.data(), kBytes, MPI_CHAR, 1, 0, kBytes, MPI_CHAR, window.win);
            break;
          default:
            code = MPI_Win_flush(1, window.win);
            break;
        }
        EXPECT_EQ(code, MPI_SUCCESS);
      }
      EXPECT_EQ(MPI_Win_unlock(1, window.win), MPI_SUCCESS);
      EXPECT_EQ(packets_until_now(hosts, window.win) - before, epoch.packets)
          << "accesses " << epoch.accesses;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      EXPECT_EQ(std::vector<char>(window.data, window.data + kBytes), data);
      // Nothing has been left locked.
      EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win), MPI_SUCCESS);
      EXPECT_EQ(MPI_Win_unlock(1, window.win), MPI_SUCCESS);
    }
  }
  MPI_Finalize();
}

}  // namespace

TEST(Packets, ALockLeavesWithTheFirstAccess) {
  MPIX_Run_options options = {};
  options.workers = 1;
  PretendedHosts hosts({.hosts = 2});
  ASSERT_EQ(hosts.run(2, count_packets_of_locks, &hosts, options), MPI_SUCCESS);
}

TEST(Packets, APutAndItsFlushAreOneRoundTrip) {
  MPIX_Run_options options = {};
  options.workers = 1;
  PretendedHosts hosts({.hosts = 2});
  ASSERT_EQ(hosts.run(2, count_packets, &hosts, options), MPI_SUCCESS);
}

}  // namespace heddle::testing
