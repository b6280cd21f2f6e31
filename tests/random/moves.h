// moves.h — ranks that move each other between the calls of a random program.
//
//   Moves moves(rank, size);
//   moves();                    every other time moves a rank of this host, perhaps this one, to any worker
//
// It draws numbers of its own, so the program is the same as without it. Only where ranks are threads (share_variables()).
//
// Thread safety: of its strand.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include "heddle/mpix.h"
#include "tests/random/dice.h"
#include "tests/support/ranks_test.h"

namespace heddle::testing {

class Moves {
 public:
  Moves(int rank, int size)
      : rank_(rank), size_(size), dice_(mix(seed(), static_cast<unsigned>(rank))) {
    int worker = -1;
    MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers_);
  }

  void operator()() {
    const int moved = dice_.below(2 * size_);
    if (moved >= size_ || host_of(moved, size_) != host_of(rank_, size_)) return;
    EXPECT_EQ(MPIX_Rank_migrate(MPI_COMM_WORLD, moved, dice_.below(workers_)), MPI_SUCCESS);
  }

 private:
  const int rank_, size_;
  int workers_ = 0;
  Dice dice_;
};

}  // namespace heddle::testing
