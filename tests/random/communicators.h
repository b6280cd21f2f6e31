// communicators.h — a random tree of communicators, of which every rank knows all members.
//
// The ranks draw the same numbers, and so each knows who is where in every communicator, also in those that it is not
// a member of. That is the reference for the order of ranks after a split, a create or a merge.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tests/random/dice.h"

namespace heddle::testing {

using Ranks = std::vector<int>;

struct Node {
  MPI_Comm comm = MPI_COMM_NULL;  // null if this rank is no member
  Ranks groups[2];          // ranks of MPI_COMM_WORLD in their order; the second is empty but in an
                            // intercommunicator
  int side = 0, rank = -1;  // this rank's group and place in it

  bool is_inter() const { return !groups[1].empty(); }
  const Ranks& own() const { return groups[side]; }
  const Ranks& peers() const { return is_inter() ? groups[1 - side] : groups[0]; }
};

class Communicators {
 public:
  Communicators(int world_rank, int world_size);
  ~Communicators();

  // Makes one or several of a random one.
  void grow(Dice& dice);
  // Frees a random one; operations on it may be under way.
  void shrink(Dice& dice);

  // Starts to duplicate a random one, for finish_duplicates() to add; it may be used and freed meanwhile.
  void begin_duplicate(Dice& dice);
  void finish_duplicates();

  const Node& any(Dice& dice) const {
    return *nodes_[static_cast<std::size_t>(dice.below(size()))];
  }
  std::vector<Node> all() const;
  int size() const { return static_cast<int>(nodes_.size()); }

 private:
  void add(MPI_Comm comm, Ranks group, Ranks remote = {});
  void split(const Node& parent, Dice& dice);
  void create(const Node& parent, Dice& dice);
  void connect(const Node& parent, Dice& dice);
  void merge(const Node& parent, Dice& dice);

  struct Duplicate {
    Ranks groups[2];
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;  // null if this rank is no member
  };

  const int me_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Duplicate>> duplicates_;
};

}  // namespace heddle::testing
