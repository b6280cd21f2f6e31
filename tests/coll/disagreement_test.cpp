// Members that do not all call the same collective, or not with the same root (MPI 5.0 §6.12 calls it erroneous): none
// waits for ever, and the one that waits for all others gets an error.
//
// Where a member waited for ever these tests would not end.

#include <vector>

#include "base/sanitizer.h"
#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kLengths[] = {
    3, 20000};  // what is lent as a copy, and what is read in the root's buffer

bool is_one_host(int size) {
  for (int rank = 1; rank < size; ++rank) {
    if (host_of(rank, size) != host_of(0, size)) return false;
  }
  return true;
}

// Members of one host lend each other their data; where none shares one, pieces are messages, which wait for ever if members disagree.
bool some_share_a_host(int size) {
  for (int rank = 1; rank < size; ++rank) {
    for (int other = 0; other < rank; ++other) {
      if (host_of(rank, size) == host_of(other, size)) return true;
    }
  }
  return false;
}

// On several hosts a wait ends only after some time, so there are fewer of them: one that speaks for its
// host, and one that does not if its host has others.
std::vector<int> roots(int size) {
  std::vector<int> some;
  for (int root = 0; root < size; ++root) {
    if (is_one_host(size) || root == 0 || root == size - 1) {
      some.push_back(root);
    }
  }
  return some;
}

class Disagreeing {
 public:
  Disagreeing() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~Disagreeing() {
    // The communicator is as good as before.
    EXPECT_EQ(MPI_Barrier(comm_), MPI_SUCCESS);
    MPI_Comm_free(&comm_);
  }
  Disagreeing(const Disagreeing&) = delete;

  int barrier() { return MPI_Barrier(comm_); }
  int bcast(int count, int root) {
    Ints data = input(root, count);
    return MPI_Bcast(data.data(), count, MPI_INT, root, comm_);
  }
  int allreduce(int rank, int count, MPI_Op op = MPI_SUM) {
    const Ints mine = input(rank, count);
    Ints sum = room(count);
    return MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, op, comm_);
  }
  int reduce(int rank, int count, int root) {
    const Ints mine = input(rank, count);
    Ints sum = room(count);
    return MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, comm_);
  }

  int gather(int size, int rank, int count, int root) {
    const Ints mine = input(rank, count);
    Ints all = room(size * count);
    return MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, comm_);
  }
  int scatter(int size, int count, int root) {
    const Ints all = all_inputs(size, count);
    Ints mine = room(count);
    return MPI_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, root, comm_);
  }
  int allgather(int size, int rank, int count) {
    const Ints mine = input(rank, count);
    Ints all = room(size * count);
    return MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm_);
  }
  int alltoall(int size, int count) {
    const Ints mine = all_inputs(size, count);
    Ints all = room(size * count);
    return MPI_Alltoall(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm_);
  }
  int reduce_scatter(int size, int count) {
    const Ints mine = all_inputs(size, count);
    Ints sum = room(count);
    return MPI_Reduce_scatter_block(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm_);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

RANKS_TEST(Disagreement, OfOneInABarrierWithABroadcast, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (const int root : roots(size)) {
      for (int odd = 0; odd < size; ++odd) {
        Disagreeing comm;
        if (rank == odd) {
          EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER) << "root " << root;
        } else if (odd == root) {
          EXPECT_EQ(comm.bcast(count, root), MPI_ERR_OTHER);
        } else {
          comm.bcast(count, root);
        }
      }
    }
  }
}

RANKS_TEST(Disagreement, OfOneInABroadcastWithABarrier, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (const int root : roots(size)) {
      for (int odd = 0; odd < size; ++odd) {
        Disagreeing comm;
        if (rank != odd) {
          EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER) << "root " << root;
        } else if (odd == root) {
          comm.bcast(count, root);
        } else {
          EXPECT_EQ(comm.bcast(count, root), MPI_ERR_OTHER);
        }
      }
    }
  }
}

RANKS_TEST(Disagreement, OfOneInAReductionWithABroadcast, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (const int root : roots(size)) {
      for (int odd = 0; odd < size; ++odd) {
        Disagreeing comm;
        if (rank == odd) {
          // A short one would write where the root has put its data. None of the two is used then.
          EXPECT_EQ(comm.allreduce(rank, 20000), MPI_ERR_OTHER) << "root " << root;
        } else {
          comm.bcast(count, root);
        }
      }
    }
  }
}

RANKS_TEST(Disagreement, OfOneInAReductionToOneRankWithABarrier, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (const int root : roots(size)) {
      for (int odd = 0; odd < size; ++odd) {
        Disagreeing comm;
        if (rank != odd) {
          EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER) << "root " << root;
        } else if (odd == root) {
          EXPECT_EQ(comm.reduce(rank, count, root), MPI_ERR_OTHER);
        } else {
          comm.reduce(rank, count, root);
        }
      }
    }
  }
}

RANKS_TEST(Disagreement, AboutWhetherAnOperationCommutes, ranks(2, 3, 4, 7)) {
  for (int odd = 0; odd < size; ++odd) {
    Disagreeing comm;
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, rank != odd, &op);
    EXPECT_EQ(comm.allreduce(rank, 3, op), MPI_ERR_OTHER);
    MPI_Op_free(&op);
  }
}

// It has done with a phase long before the others know of it.
RANKS_TEST(Disagreement, OfARootThatRunsAhead, ranks(2, 3, 4, 7)) {
  constexpr int kPhases = 10;
  Disagreeing comm;
  for (int i = 0; i < kPhases; ++i) {
    if (rank == 0) {
      comm.bcast(3, 0);
    } else {
      EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER) << "phase " << i;
    }
  }
}

// Each takes the rank after it, or the one before it, for the root; or itself.
RANKS_TEST(Disagreement, AboutTheRootOfABroadcast, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (const int step : {1, size - 1, 0}) {
      Disagreeing comm;
      const int code = comm.bcast(count, (rank + step) % size);
      if (step != 0) {
        EXPECT_EQ(code, MPI_ERR_OTHER);
      }
    }
  }
}

RANKS_TEST(Disagreement, OfOneInPiecesForAllWithABarrier, ranks(2, 3, 7, 40)) {
  if (!some_share_a_host(size)) return;
  // Between hosts short pieces for each and long ones for all.
  const bool one_host = is_one_host(size);
  for (const int count : {3, one_host ? 5000 : 20000}) {
    for (const int odd : {0, size - 1}) {
      Disagreeing comm;
      const bool exchanges = count == 3 || one_host, gathers = count != 3 || one_host;
      if (rank != odd) {
        for (int i = exchanges + gathers; i > 0; --i) EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER);
        continue;
      }
      if (exchanges) {
        EXPECT_EQ(comm.alltoall(size, count), MPI_ERR_OTHER);
      }
      if (gathers) {
        EXPECT_EQ(comm.allgather(size, rank, count), MPI_ERR_OTHER);
      }
    }
  }
}

RANKS_TEST(Disagreement, OfOneInAReduceScatterWithABarrier, ranks(2, 3, 7, 40)) {
  for (const int count : {3, 5000}) {
    if (count == 5000 && !is_one_host(size)) continue;
    for (const int odd : {0, size - 1}) {
      Disagreeing comm;
      EXPECT_EQ(rank == odd ? comm.reduce_scatter(size, count) : comm.barrier(), MPI_ERR_OTHER);
    }
  }
}

// The rest send messages between hosts, which wait for ever if they disagree.

// Members write side by side in the scratch memory, at places that follow from the length: so these overlap here, which
// ThreadSanitizer reports.
RANKS_TEST(DisagreementOfOneHost, AboutTheLength, ranks(2, 3, 7, 20)) {
  if (!is_one_host(size) || heddle::kHasThreadSanitizer) return;
  for (const int odd : {0, size - 1}) {
    Disagreeing comm;
    const int count = rank == odd ? 4 : 3;
    EXPECT_EQ(comm.alltoall(size, count), MPI_ERR_OTHER);
    EXPECT_EQ(comm.allgather(size, rank, count), MPI_ERR_OTHER);
    EXPECT_EQ(comm.reduce_scatter(size, count), MPI_ERR_OTHER);
  }
}

RANKS_TEST(DisagreementOfOneHost, OfScattersAndGathersWithABarrier, ranks(3, 7, 40)) {
  if (!is_one_host(size)) return;
  for (const int count : {3, 5000}) {
    for (const int root : {0, size - 1}) {
      for (const int odd : {0, 1, size - 1}) {
        Disagreeing comm;
        if (rank == odd) {
          EXPECT_EQ(comm.barrier(), MPI_ERR_OTHER);
        } else if (odd == root) {
          EXPECT_EQ(comm.scatter(size, count, root), MPI_ERR_OTHER);
        } else {
          comm.scatter(size, count, root);
        }
      }
    }
  }
}

// Fewer ranks gather by messages, too. One with short data does not wait.
RANKS_TEST(DisagreementOfOneHost, AboutTheRootOfAGather, ranks(40)) {
  if (!is_one_host(size)) return;
  for (const int count : {3, 5000}) {
    for (const int odd : {0, 1, size - 1}) {
      Disagreeing comm;
      const int root = rank == odd ? 2 : 1;
      const int error = comm.gather(size, rank, count, root);
      if (rank == root || count == 5000) {
        EXPECT_EQ(error, MPI_ERR_OTHER);
      }
    }
  }
}
