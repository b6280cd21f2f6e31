#include "mpi/datatype/layout.h"

#include <algorithm>
#include <utility>

namespace heddle::datatype {

namespace {

constexpr MPI_Count kMostSpliced = 256;  // entries; see N5
constexpr MPI_Count kMostUnrolled = 4;   // repetitions of a Strided that a sequence spells out

Piece piece_of(MPI_Count offset, MPI_Count bytes, Node node) {
  return {offset, bytes, std::make_shared<const Node>(std::move(node))};
}

Piece entry_of(const Node& node, MPI_Count i) {
  const auto at = static_cast<std::size_t>(i);
  switch (node.kind) {
    case NodeKind::kStrided:
      return {i * node.stride, node.child.bytes, node.child.node};
    case NodeKind::kBlocks:
      return {node.offsets[at], node.child.bytes, node.child.node};
    case NodeKind::kRuns:
      return {node.offsets[at], node.starts[at + 1] - node.starts[at], nullptr};
    case NodeKind::kList:
      break;
  }
  return node.pieces[at];
}

// Puts `piece` at the end of `entries`: spliced, merged with its neighbour, or as it is.
void append(std::vector<Piece>& entries, Piece piece) {
  if (piece.bytes == 0) return;
  if (piece.is_run()) {
    if (!entries.empty()) {
      Piece& last = entries.back();
      if (last.is_run() && last.offset + last.bytes == piece.offset) {
        last.bytes += piece.bytes;
        return;
      }
    }
    entries.push_back(std::move(piece));
    return;
  }
  const Node& node = *piece.node;
  const bool unroll = node.kind == NodeKind::kStrided && node.count <= kMostUnrolled;
  const bool splice = node.kind != NodeKind::kStrided && node.count <= kMostSpliced;
  if (!unroll && !splice) {
    entries.push_back(std::move(piece));
    return;
  }
  for (MPI_Count i = 0; i < node.count; ++i) {
    Piece entry = entry_of(node, i);
    entry.offset += piece.offset;
    // The entries of a normal layout need no second splicing, only merging.
    if (entry.is_run()) {
      append(entries, std::move(entry));
    } else {
      entries.push_back(std::move(entry));
    }
  }
}

bool all_alike(const std::vector<Piece>& entries) {
  return std::all_of(entries.begin(), entries.end(), [&](const Piece& entry) {
    return entry.bytes == entries[0].bytes && entry.node == entries[0].node;
  });
}

bool evenly_spaced(const std::vector<MPI_Count>& offsets) {
  const MPI_Count stride = offsets[1] - offsets[0];
  for (std::size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != stride) return false;
  }
  return true;
}

Piece unlike(std::vector<Piece> entries, std::vector<MPI_Count> offsets) {
  Node node{.kind = NodeKind::kRuns, .count = static_cast<MPI_Count>(entries.size())};
  MPI_Count bytes = 0;
  node.starts.reserve(entries.size() + 1);
  for (const Piece& entry : entries) {
    node.starts.push_back(bytes);
    bytes += entry.bytes;
    node.runs += entry.runs();
    if (!entry.is_run()) node.kind = NodeKind::kList;
  }
  node.starts.push_back(bytes);
  if (node.kind == NodeKind::kList) {
    node.pieces = std::move(entries);
  } else {
    node.offsets = std::move(offsets);
  }
  return piece_of(0, bytes, std::move(node));
}

}  // namespace

Piece repeat(const Piece& piece, MPI_Count count, MPI_Count stride) {
  if (piece.bytes == 0 || count == 0) return {};
  if (count == 1) return piece;
  const MPI_Count bytes = piece.bytes * count;
  if (piece.is_run() && stride == piece.bytes) return {piece.offset, bytes, nullptr};

  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kStrided;
  node->runs = piece.runs() * count;
  const bool goes_on = !piece.is_run() && piece.node->kind == NodeKind::kStrided &&
                       stride == piece.node->count * piece.node->stride;
  if (goes_on) {
    node->count = count * piece.node->count;
    node->stride = piece.node->stride;
    node->child = piece.node->child;
  } else {
    node->count = count;
    node->stride = stride;
    node->child = {0, piece.bytes, piece.node};
  }
  return {piece.offset, bytes, std::move(node)};
}

Piece sequence(std::vector<Piece> pieces) {
  std::vector<Piece> entries;
  entries.reserve(pieces.size());
  for (Piece& piece : pieces) append(entries, std::move(piece));
  if (entries.empty()) return {};
  if (entries.size() == 1) return entries[0];

  std::vector<MPI_Count> offsets;
  offsets.reserve(entries.size());
  for (const Piece& entry : entries) offsets.push_back(entry.offset);
  if (all_alike(entries)) return blocks({0, entries[0].bytes, entries[0].node}, std::move(offsets));
  return unlike(std::move(entries), std::move(offsets));
}

Piece blocks(const Piece& piece, std::vector<MPI_Count> offsets) {
  const auto count = static_cast<MPI_Count>(offsets.size());
  if (piece.bytes == 0 || count == 0) return {};
  if (piece.offset != 0) {
    for (MPI_Count& offset : offsets) offset += piece.offset;
  }
  const Piece child{0, piece.bytes, piece.node};
  if (count == 1) return {offsets[0], child.bytes, child.node};
  if (evenly_spaced(offsets)) {
    Piece all = repeat(child, count, offsets[1] - offsets[0]);
    all.offset += offsets[0];
    return all;
  }
  Node node{.kind = NodeKind::kBlocks, .count = count, .runs = child.runs() * count};
  node.child = child;
  node.offsets = std::move(offsets);
  return piece_of(0, piece.bytes * count, std::move(node));
}

}  // namespace heddle::datatype
