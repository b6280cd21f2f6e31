// operation.h — one random collective: its buffers, the call, and what it must give by a plain reference.
//
//   Operation op(node, number, dice, local);    draws everything that all members must agree on from `dice`, the
//                                               datatypes of its buffers from `local`
//   op.call();                                  blocking; or starts it, persistent ones each time
//   … wait for op.request …
//   op.check();
//
// Word i of what member `from` of a group has for member `to` is a function of these and of a salt, so each rank
// computes what it must get, with a loop over the members.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/random/buffer.h"
#include "tests/random/communicators.h"
#include "tests/random/way.h"

namespace heddle::testing {

// Blocks of a buffer, one for each peer: in words, in elements, and where they begin.
struct Blocks {
  Ranks words, counts, displacements;
  int extent = 0;

  // One after the other, or out of order with gaps.
  Blocks(Ranks words, const Form& form, bool regular);
};

class Operation {
 public:
  Operation(const Node& node, unsigned long number, Dice& dice, Dice& local);
  ~Operation();
  Operation(const Operation&) = delete;

  // Requires that the one before has been waited for and checked.
  void call();
  void check();
  bool persistent() const { return way_ == Way::kPersistent; }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  enum class Kind {
    kBarrier,
    kBcast,
    kGather,
    kScatter,
    kAllgather,
    kAlltoall,
    kReduce,
    kAllreduce,
    kReduceScatter,
    kScan,
    kExscan,
    kKinds
  };
  enum Combine { kSum, kMax, kCompose };

  bool combines() const { return kind_ >= Kind::kReduce; }

  int peers() const { return static_cast<int>(node_.peers().size()); }
  int members() const { return static_cast<int>(node_.own().size()); }
  int peer_side() const { return node_.is_inter() ? 1 - node_.side : 0; }

  // What member `from` of group `side` has for member `to`.
  long value(int side, int from, int to, int i) const;
  int words(int from, int to) const;
  Ranks words_from_all(int to) const;
  Ranks words_to_all(int from) const;
  // The combination of the first members of the peers.
  long combined(int members, int i) const;

  Ranks out_words() const;
  Ranks in_words() const;
  Ranks shares() const;

  void choose_root(Dice& dice);
  void make_buffers(Dice& local);
  // The values that are there, and those that must come.
  void fill();
  void fill_moved();
  void fill_combined();

  int perform();
  int perform_moved();
  int perform_combined();

  std::string describe() const;

  const Node node_;  // a copy: the communicator may be freed while the operation is under way
  const unsigned long number_;
  Kind kind_;
  Way way_;
  Combine combine_ = kSum;
  MPI_Op op_ = MPI_OP_NULL;  // of kCompose
  Basic basic_;
  bool regular_ = true, in_place_ = false;
  int unit_ = 0;  // words of a block
  unsigned long salt_ = 0;

  // Of a rooted one: the argument, whether this rank is the root, and whether it is on the root's side.
  int root_ = 0, root_argument_ = 0;
  bool is_root_ = false, beside_root_ = false;

  std::unique_ptr<Buffer> out_, in_;
  std::unique_ptr<Blocks> out_blocks_, in_blocks_;
  std::vector<MPI_Datatype> out_types_, in_types_;  // of MPI_Alltoallw
  Ranks out_bytes_, in_bytes_;
  Ranks shares_;  // of MPI_Reduce_scatter
};

}  // namespace heddle::testing
