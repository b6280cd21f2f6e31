// neighborhood.h — a random virtual topology, of which every rank knows all edges, and one neighborhood collective on it
// against a plain reference.
//
// The k-th edge from a rank to another one is the k-th of them at both ends. In a grid, what is sent down in a dimension
// comes from above.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/random/buffer.h"
#include "tests/random/communicators.h"
#include "tests/random/dice.h"
#include "tests/random/operation.h"
#include "tests/random/way.h"

namespace heddle::testing {

struct Neighborhood {
  // Which block of which rank comes into a block of this rank; no rank: nothing comes.
  struct Origin {
    int rank = MPI_PROC_NULL, block = 0;
  };

  MPI_Comm comm = MPI_COMM_NULL;  // null if this rank is not in it
  int rank = -1;
  std::vector<Ranks> out;  // the destinations of each rank, in the order of its blocks
  std::vector<Origin> in;  // of this rank
  std::string name;
};

// Draws the same at all ranks of the world. Made on the communicator of all of them.
Neighborhood random_neighborhood(MPI_Comm world, Dice& dice);

class NeighborOperation {
 public:
  NeighborOperation(const Neighborhood& at, unsigned long number, Dice& dice, Dice& local);
  ~NeighborOperation();
  NeighborOperation(const NeighborOperation&) = delete;

  // Requires that the one before has been waited for and checked.
  void call();
  void check();
  bool persistent() const { return way_ == Way::kPersistent; }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  enum class Kind { kAllgather, kAllgatherv, kAlltoall, kAlltoallv, kAlltoallw, kKinds };

  bool gathers() const { return kind_ <= Kind::kAllgatherv; }
  bool regular() const { return kind_ == Kind::kAllgather || kind_ == Kind::kAlltoall; }
  int words(int rank, int block) const;
  long value(int rank, int block, int i) const;
  int perform_it();
  std::string describe() const;

  const Neighborhood at_;  // a copy: the communicator may be freed while the operation is under way
  const unsigned long number_;
  const Kind kind_;
  const Way way_;
  const Basic basic_;
  const int unit_;  // words of a block
  unsigned long salt_ = 0;

  std::unique_ptr<Blocks> out_blocks_, in_blocks_;
  std::unique_ptr<Buffer> out_, in_;
  std::vector<MPI_Aint> out_bytes_, in_bytes_;  // of MPI_Neighbor_alltoallw
  std::vector<MPI_Datatype> out_types_, in_types_;
};

}  // namespace heddle::testing
