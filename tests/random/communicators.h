// communicators.h — a random tree of communicators, of which every rank knows all members.
//
// The ranks draw the same numbers, and so each knows who is where in every communicator, also in those that it is not
// a member of. That is the reference for the order of ranks after a split, a create or a merge.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

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

// The same numbers at every rank.
class Dice {
 public:
  explicit Dice(unsigned long seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned long>(limit)); }
  bool toss() { return below(2) == 0; }
  unsigned long number() { return random_(); }

 private:
  std::mt19937_64 random_;
};

class Communicators {
 public:
  Communicators(int world_rank, int world_size);
  ~Communicators();

  // Makes one or several of a random one.
  void grow(Dice& dice);
  // Frees a random one; operations on it may be under way.
  void shrink(Dice& dice);

  const Node& any(Dice& dice) const {
    return *nodes_[static_cast<std::size_t>(dice.below(size()))];
  }
  int size() const { return static_cast<int>(nodes_.size()); }

 private:
  void add(MPI_Comm comm, Ranks group, Ranks remote = {});
  void split(const Node& parent, Dice& dice);
  void create(const Node& parent, Dice& dice);
  void connect(const Node& parent, Dice& dice);
  void merge(const Node& parent, Dice& dice);

  const int me_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace heddle::testing
