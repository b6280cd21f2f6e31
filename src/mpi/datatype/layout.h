// layout.h — where the bytes of a datatype lie, in the order in which they are packed.
//
// A Piece is a run of adjacent bytes, or a Node that repeats or lists smaller pieces:
//
//   run      bytes                        ████████
//   Strided  count × child, every stride  ██..██..██..██
//   Blocks   child at each offset         ██.██...██
//   Runs     a run at each offset         ████.█..██
//   List     a piece at each offset       ██..██.[Strided].██
//
// The functions below that build layouts keep them in normal form, so that the loops over them stay
// tight:
//   N1  No piece within a node is empty; a List, Runs or Blocks has at least two entries, a Strided
//       count >= 2.
//   N2  Neighbouring entries of Runs and List that are adjacent runs are merged into one. (Those of
//       Blocks need not be: equal lengths are worth more.)
//   N3  A layout without gaps is one run: there is no Strided of runs with stride == bytes.
//   N4  Offsets within a node are relative to the piece's; children of Strided and Blocks have
//       offset 0.
//   N5  A List in a List is spliced in while it is short, so the depth is at most about
//       62 levels of repetition (each doubles the size) plus entries / 256.
//
// Thread safety: immutable once built.

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

namespace heddle::datatype {

struct Node;

struct Piece {
  MPI_Count offset = 0;
  MPI_Count bytes = 0;               // packed; 0: nothing
  std::shared_ptr<const Node> node;  // null: a run

  bool is_run() const noexcept { return node == nullptr; }
  MPI_Count runs() const noexcept;
};

enum class NodeKind : unsigned char { kStrided, kBlocks, kRuns, kList };

struct Node {
  NodeKind kind;
  MPI_Count count = 0;             // repetitions or entries
  MPI_Count stride = 0;            // kStrided
  MPI_Count runs = 0;              // of adjacent bytes in all of it
  Piece child;                     // kStrided, kBlocks
  std::vector<MPI_Count> offsets;  // kBlocks, kRuns
  std::vector<MPI_Count> starts;   // kRuns, kList: packed position of each entry, and the end
  std::vector<Piece> pieces;       // kList
};

// `count` copies of `piece`, each `stride` bytes after the one before.
Piece repeat(const Piece& piece, MPI_Count count, MPI_Count stride);

// Joins pieces one after the other; offsets are relative to the result's origin, 0.
Piece sequence(std::vector<Piece> pieces);

// `piece` at each of `offsets`.
Piece blocks(const Piece& piece, std::vector<MPI_Count> offsets);

inline MPI_Count Piece::runs() const noexcept {
  if (node != nullptr) return node->runs;
  return bytes != 0 ? 1 : 0;
}

}  // namespace heddle::datatype
