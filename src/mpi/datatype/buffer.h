// buffer.h — a user's buffer: address, count, datatype; and the bytes it stands for.
//
// The packed form of a buffer is its basic elements one after another, count * type.size() bytes,
// with no padding. copy() moves data from one layout to another as if packed and unpacked, without
// the intermediate buffer.
//
// Thread safety: none needed; a buffer is the user's.

#pragma once

#include <mpi.h>

#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

struct ConstBuffer {
  const void* data = nullptr;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  MPI_Count bytes() const noexcept { return count * type->size(); }
};

struct Buffer {
  void* data = nullptr;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  MPI_Count bytes() const noexcept { return count * type->size(); }
  operator ConstBuffer() const noexcept { return {data, count, type}; }
};

// A buffer of `bytes` bytes.
inline ConstBuffer bytes_at(const void* data, MPI_Count bytes) noexcept {
  return {data, bytes, &named(MPI_BYTE)};
}
inline Buffer bytes_at(void* data, MPI_Count bytes) noexcept {
  return {data, bytes, &named(MPI_BYTE)};
}

inline Buffer nothing() noexcept {
  return {nullptr, 0, &named(MPI_BYTE)};
}

// The address of the buffer's bytes if they are adjacent and in packed order, else nullptr.
// Recognizes more buffers than type->dense() does: one element with gaps around it, for example.
const void* adjacent(ConstBuffer buffer) noexcept;

// How many bytes are adjacent, on average. Requires that the type has some.
MPI_Count mean_run(ConstBuffer buffer) noexcept;

// Writes bytes [skip, skip + bytes) of the packed form to `out`.
void pack(ConstBuffer from, MPI_Count skip, void* out, MPI_Count bytes) noexcept;

// Reads bytes [skip, skip + bytes) of the packed form from `in`.
void unpack(Buffer to, MPI_Count skip, const void* in, MPI_Count bytes) noexcept;

// Moves bytes [skip, skip + bytes) of the packed form. Requires that both are that long.
void copy(ConstBuffer from, Buffer to, MPI_Count skip, MPI_Count bytes) noexcept;

}  // namespace heddle::datatype
