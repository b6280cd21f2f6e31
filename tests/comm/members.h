// members.h — what the tests of this folder ask about a communicator, through messages on it.
//
// Thread safety: any strand of the rank.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <vector>

namespace heddle::testing {

// The world ranks of a communicator's members in its order, by a collective on it.
inline std::vector<int> members_of(MPI_Comm comm) {
  int world_rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> members(static_cast<std::size_t>(size), -1);
  MPI_Allgather(&world_rank, 1, MPI_INT, members.data(), 1, MPI_INT, comm);
  return members;
}

inline std::vector<int> count_up(int n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Messages of the same tag on all of them, received in the other order: none may stray. On each
// communicator every rank sends to its right neighbour.
inline void expect_apart(const std::vector<MPI_Comm>& comms) {
  std::vector<int> sent(comms.size());
  std::vector<MPI_Request> requests(comms.size());
  for (std::size_t i = 0; i < comms.size(); ++i) {
    int rank = -1, size = 0;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    sent[i] = 1000 * static_cast<int>(i) + rank;
    MPI_Isend(&sent[i], 1, MPI_INT, (rank + 1) % size, 3, comms[i], &requests[i]);
  }
  for (std::size_t i = comms.size(); i-- > 0;) {
    int rank = -1, size = 0, got = -1;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, comms[i], MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 1000 * static_cast<int>(i) + (rank + size - 1) % size);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace heddle::testing
