// walk.h — visits the bytes of a layout in packed order, from any position on.
//
// The walk calls a Sink for adjacent bytes, and for many runs at once where the layout is regular,
// so that the sink's loops are tight. Addresses are integers, since they may be absolute
// (MPI_BOTTOM).
//
//   sink.run(address, bytes)                       one run
//   sink.strided(address, stride, bytes, count)    count runs of equal length
//   sink.scattered(base, offsets, bytes, count)    the same, at base + offsets[i]
//   sink.records(at, stride, count, fields)        count times the same runs
//
// Getting to a position costs O(depth + log entries).
// Thread safety: layouts are immutable; a sink belongs to the caller.

#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/datatype/layout.h"

namespace heddle::datatype {

using Address = std::uintptr_t;

inline Address moved(Address address, MPI_Count by) noexcept {
  return address + static_cast<Address>(by);  // wraps as negative displacements need
}

// Runs of different lengths: run i has the packed bytes [starts[i], starts[i + 1]) - starts[0].
struct Fields {
  const MPI_Count* offsets;
  const MPI_Count* starts;
  MPI_Count count;

  MPI_Count bytes() const noexcept { return starts[count] - starts[0]; }
};
inline Fields fields_of(const Node& node) noexcept {
  return {node.offsets.data(), node.starts.data(), node.count};
}

// Bytes [skip, skip + bytes) of `count` or more copies of `child`, the first at `at`.
template <class Sink>
void walk_strided(const Piece& child, MPI_Count stride, Address at, MPI_Count skip, MPI_Count bytes,
                  Sink& sink) noexcept;

// Bytes [skip, skip + bytes) of a piece (`node`, `size` bytes in all) that lies at `at`.
template <class Sink>
void walk_part(const Node* node, Address at, MPI_Count skip, MPI_Count bytes, Sink& sink) noexcept;

template <class Sink>
void walk_all(const Node& node, Address at, Sink& sink) noexcept;

// `count` whole copies of `child`.
template <class Sink>
void walk_copies(const Piece& child, MPI_Count stride, Address at, MPI_Count count,
                 Sink& sink) noexcept {
  if (count == 0) return;
  if (child.is_run()) {
    sink.strided(at, stride, child.bytes, count);
  } else if (child.node->kind == NodeKind::kRuns) {
    sink.records(at, stride, count, fields_of(*child.node));
  } else {
    for (MPI_Count i = 0; i < count; ++i) walk_all(*child.node, moved(at, i * stride), sink);
  }
}

// All of it.
template <class Sink>
void walk_all(const Node& node, Address at, Sink& sink) noexcept {
  switch (node.kind) {
    case NodeKind::kStrided:
      walk_copies(node.child, node.stride, at, node.count, sink);
      break;
    case NodeKind::kBlocks:
      if (node.child.is_run()) {
        sink.scattered(at, node.offsets.data(), node.child.bytes, node.count);
      } else {
        for (MPI_Count offset : node.offsets) walk_all(*node.child.node, moved(at, offset), sink);
      }
      break;
    case NodeKind::kRuns:
      sink.records(at, 0, 1, fields_of(node));
      break;
    case NodeKind::kList:
      for (const Piece& piece : node.pieces) {
        if (piece.is_run()) {
          sink.run(moved(at, piece.offset), piece.bytes);
        } else {
          walk_all(*piece.node, moved(at, piece.offset), sink);
        }
      }
      break;
  }
}

template <class Sink>
void walk_strided(const Piece& child, MPI_Count stride, Address at, MPI_Count skip, MPI_Count bytes,
                  Sink& sink) noexcept {
  if (skip != 0) {
    const MPI_Count before = skip / child.bytes;
    at = moved(at, before * stride);
    skip -= before * child.bytes;
    if (skip != 0) {
      const MPI_Count part = std::min(bytes, child.bytes - skip);
      walk_part(child.node.get(), at, skip, part, sink);
      bytes -= part;
      at = moved(at, stride);
    }
  }
  const MPI_Count whole = bytes / child.bytes;
  walk_copies(child, stride, at, whole, sink);
  const MPI_Count rest = bytes - whole * child.bytes;
  if (rest != 0) walk_part(child.node.get(), moved(at, whole * stride), 0, rest, sink);
}

template <class Sink>
void walk_blocks(const Node& node, Address at, MPI_Count skip, MPI_Count bytes,
                 Sink& sink) noexcept {
  const Piece& child = node.child;
  auto i = static_cast<std::size_t>(skip / child.bytes);
  skip %= child.bytes;
  if (skip != 0) {
    const MPI_Count part = std::min(bytes, child.bytes - skip);
    walk_part(child.node.get(), moved(at, node.offsets[i++]), skip, part, sink);
    bytes -= part;
  }
  const MPI_Count whole = bytes / child.bytes;
  const std::size_t end = i + static_cast<std::size_t>(whole);
  if (child.is_run()) {
    if (whole != 0) sink.scattered(at, &node.offsets[i], child.bytes, whole);
    i = end;
  } else {
    for (; i < end; ++i) walk_all(*child.node, moved(at, node.offsets[i]), sink);
  }
  const MPI_Count rest = bytes - whole * child.bytes;
  if (rest != 0) walk_part(child.node.get(), moved(at, node.offsets[i]), 0, rest, sink);
}

// The entry of a kRuns or kList node that `position` lies in.
inline std::size_t entry_at(const Node& node, MPI_Count position) noexcept {
  const auto next = std::upper_bound(node.starts.begin(), node.starts.end(), position);
  return static_cast<std::size_t>(next - node.starts.begin()) - 1;
}

template <class Sink>
void walk_runs(const Node& node, Address at, MPI_Count skip, MPI_Count bytes, Sink& sink) noexcept {
  std::size_t i = entry_at(node, skip);
  const MPI_Count end = skip + bytes;
  if (skip != node.starts[i]) {
    const MPI_Count part = std::min(end, node.starts[i + 1]) - skip;
    sink.run(moved(at, node.offsets[i] + skip - node.starts[i]), part);
    if (part == bytes) return;
    ++i;
  }
  const std::size_t last = entry_at(node, end);  // it is cut, or the end of all
  const auto whole = static_cast<MPI_Count>(last - i);
  if (whole != 0) sink.records(at, 0, 1, {&node.offsets[i], &node.starts[i], whole});
  const MPI_Count rest = end - node.starts[last];
  if (rest != 0) sink.run(moved(at, node.offsets[last]), rest);
}

template <class Sink>
void walk_list(const Node& node, Address at, MPI_Count skip, MPI_Count bytes, Sink& sink) noexcept {
  std::size_t i = entry_at(node, skip);
  for (skip -= node.starts[i]; bytes != 0; ++i, skip = 0) {
    const Piece& piece = node.pieces[i];
    const MPI_Count part = std::min(bytes, piece.bytes - skip);
    walk_part(piece.node.get(), moved(at, piece.offset), skip, part, sink);
    bytes -= part;
  }
}

template <class Sink>
void walk_part(const Node* node, Address at, MPI_Count skip, MPI_Count bytes, Sink& sink) noexcept {
  if (node == nullptr) {
    sink.run(moved(at, skip), bytes);
    return;
  }
  switch (node->kind) {
    case NodeKind::kStrided:
      walk_strided(node->child, node->stride, at, skip, bytes, sink);
      break;
    case NodeKind::kBlocks:
      walk_blocks(*node, at, skip, bytes, sink);
      break;
    case NodeKind::kRuns:
      walk_runs(*node, at, skip, bytes, sink);
      break;
    case NodeKind::kList:
      walk_list(*node, at, skip, bytes, sink);
      break;
  }
}

}  // namespace heddle::datatype
