// Members that do not all call the same collective, or not with the same root (MPI 5.0 §6.12 calls it erroneous): none
// waits for ever, and the one that waits for all others gets an error.
//
// Where a member waited for ever these tests would not end.

#include <cstddef>
#include <vector>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kLengths[] = {
    3, 20000};  // what is lent as a copy, and what is read in the root's buffer

// The lowest rank of its host.
bool speaks(int rank, int size) {
  for (int lower = 0; lower < rank; ++lower) {
    if (host_of(lower, size) == host_of(rank, size)) return false;
  }
  return true;
}

bool on_one_host(int size) {
  for (int other = 1; other < size; ++other) {
    if (host_of(other, size) != host_of(0, size)) return false;
  }
  return true;
}

// Over several hosts only some disagreements are found (between.h).
bool is_found(int odd, int root, int size) {
  return on_one_host(size) || (odd != root && !speaks(odd, size));
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
  int allreduce(int rank, int count) {
    const Ints mine = input(rank, count);
    Ints sum = room(count);
    return MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm_);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

RANKS_TEST(Disagreement, OfOneInABarrierWithABroadcast, ranks(2, 3, 4, 7)) {
  for (const int count : kLengths) {
    for (int root = 0; root < size; ++root) {
      for (int odd = 0; odd < size; ++odd) {
        if (!is_found(odd, root, size)) continue;
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
  if (!on_one_host(size)) return;
  for (const int count : kLengths) {
    for (int root = 0; root < size; ++root) {
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
    for (int root = 0; root < size; ++root) {
      for (int odd = 0; odd < size; ++odd) {
        if (!is_found(odd, root, size)) continue;
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

// Each takes the rank after it, or the one before it, for the root; or itself.
RANKS_TEST(Disagreement, AboutTheRootOfABroadcast, ranks(2, 3, 4, 7)) {
  if (!on_one_host(size)) return;
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
