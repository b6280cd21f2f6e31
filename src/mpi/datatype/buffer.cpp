#include "mpi/datatype/buffer.h"

#include <algorithm>
#include <cstring>

#include "mpi/datatype/sinks.h"
#include "mpi/datatype/walk_buffer.h"

namespace heddle::datatype {

namespace {

// Both sides in shorter runs than this are copied through a small block that stays in the nearest
// cache: two tight loops beat pairing runs of different lengths. Measured in bench/datatype.
constexpr MPI_Count kLongRun = 512;
constexpr MPI_Count kBlock = 4096;

// A buffer that is runs of equal length at equal distances.
struct Rows {
  Address at = 0;
  MPI_Count stride = 0;
  MPI_Count bytes = 0;  // of a run; 0: the buffer is none such
};

Rows rows_of(ConstBuffer buffer) noexcept {
  const Datatype& type = *buffer.type;
  const Piece& layout = type.layout();
  const Address at = moved(reinterpret_cast<Address>(buffer.data), layout.offset);
  if (layout.is_run()) return {at, type.extent(), layout.bytes};
  const Node& node = *layout.node;
  if (node.kind != NodeKind::kStrided || !node.child.is_run()) return {};
  if (buffer.count > 1 && type.extent() != node.count * node.stride) return {};
  return {at, node.stride, node.child.bytes};
}

// Between equal runs no packed form is needed.
bool copied_as_rows(ConstBuffer from, Buffer to, MPI_Count skip, MPI_Count bytes) noexcept {
  Rows source = rows_of(from), target = rows_of(to);
  if (source.bytes == 0 || source.bytes != target.bytes) return false;
  const MPI_Count length = source.bytes;
  const auto advance = [&](MPI_Count rows) {
    source.at = moved(source.at, rows * source.stride);
    target.at = moved(target.at, rows * target.stride);
  };
  advance(skip / length);
  if (const MPI_Count cut = skip % length; cut != 0) {
    const MPI_Count part = std::min(bytes, length - cut);
    copy_run(pointer(moved(target.at, cut)), pointer(moved(source.at, cut)), part);
    bytes -= part;
    advance(1);
  }
  const MPI_Count whole = bytes / length;
  with_length(length, [&](auto each) {
    copy_runs(each, whole, every(source.at, source.stride), every(target.at, target.stride));
  });
  advance(whole);
  copy_run(pointer(target.at), pointer(source.at), bytes - whole * length);
  return true;
}

void copy_in_blocks(ConstBuffer from, Buffer to, MPI_Count skip, MPI_Count bytes) noexcept {
  alignas(64) char block[kBlock];
  const MPI_Count end = skip + bytes;
  for (MPI_Count at = skip; at < end; at += kBlock) {
    const MPI_Count part = std::min(kBlock, end - at);
    pack(from, at, block, part);
    unpack(to, at, block, part);
  }
}

}  // namespace

const void* adjacent(ConstBuffer buffer) noexcept {
  const Piece& layout = buffer.type->layout();
  const bool one_run =
      layout.is_run() && (buffer.count <= 1 || buffer.type->extent() == buffer.type->size());
  if (!one_run) return nullptr;
  return pointer(moved(reinterpret_cast<Address>(buffer.data), layout.offset));
}

MPI_Count mean_run(ConstBuffer buffer) noexcept {
  return buffer.type->size() / buffer.type->layout().runs();
}

void pack(ConstBuffer from, MPI_Count skip, void* out, MPI_Count bytes) noexcept {
  Packer packer(out);
  walk_buffer(from.data, *from.type, skip, bytes, packer);
}

void unpack(Buffer to, MPI_Count skip, const void* in, MPI_Count bytes) noexcept {
  Unpacker unpacker(in);
  walk_buffer(to.data, *to.type, skip, bytes, unpacker);
}

void copy(ConstBuffer from, Buffer to, MPI_Count skip, MPI_Count bytes) noexcept {
  if (bytes == 0) return;
  const auto* source = static_cast<const char*>(adjacent(from));
  auto* target = static_cast<char*>(const_cast<void*>(adjacent(to)));
  if (source != nullptr && target != nullptr) {
    std::memcpy(target + skip, source + skip, length(bytes));
  } else if (target != nullptr) {
    pack(from, skip, target + skip, bytes);
  } else if (source != nullptr) {
    unpack(to, skip, source + skip, bytes);
  } else if (copied_as_rows(from, to, skip, bytes)) {
    return;
  } else if (mean_run(from) >= kLongRun && mean_run(from) >= mean_run(to)) {
    EachRun each([&, at = skip](Address run, MPI_Count run_bytes) mutable {
      unpack(to, at, pointer(run), run_bytes);
      at += run_bytes;
    });
    walk_buffer(from.data, *from.type, skip, bytes, each);
  } else if (mean_run(to) >= kLongRun) {
    EachRun each([&, at = skip](Address run, MPI_Count run_bytes) mutable {
      pack(from, at, pointer(run), run_bytes);
      at += run_bytes;
    });
    walk_buffer(to.data, *to.type, skip, bytes, each);
  } else {
    copy_in_blocks(from, to, skip, bytes);
  }
}

}  // namespace heddle::datatype
