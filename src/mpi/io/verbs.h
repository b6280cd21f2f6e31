// verbs.h — reads and writes (MPI 5.0 §14.4), by kind of pointer and kind of call.
//
//   run(reads(file, buffer, at(offset)), status)        MPI_File_read_at
//   run_all(writes(file, buffer, ordered()), status)    MPI_File_write_ordered
//   start(…, &request), start_all(…, &request)          MPI_File_iread…, MPI_File_iread…_all
//   begin(…), end(…)                                    …_begin, …_end
//
// Pointers move at the call, by what was asked for. A status tells what was moved.
//
// Thread safety: any strand; collective calls one at a time on a file. May switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/io/access.h"

namespace heddle::io {

struct Pointer {
  enum class Kind { kOffset, kIndividual, kShared, kOrdered };

  Kind kind;
  MPI_Offset offset = 0;  // of kOffset, in etypes
};
inline Pointer at(MPI_Offset offset) noexcept {
  return {Pointer::Kind::kOffset, offset};
}
inline Pointer individual() noexcept {
  return {Pointer::Kind::kIndividual};
}
inline Pointer shared() noexcept {
  return {Pointer::Kind::kShared};
}
inline Pointer ordered() noexcept {
  return {Pointer::Kind::kOrdered};
}

struct Call {
  File& file;
  Direction direction;
  Buffer buffer;
  Pointer pointer;
};
inline Call reads(File& file, Buffer into, Pointer pointer) noexcept {
  return {file, Direction::kRead, into, pointer};
}
inline Call writes(File& file, datatype::ConstBuffer from, Pointer pointer) noexcept {
  return {file, Direction::kWrite, {const_cast<void*>(from.data), from.count, from.type}, pointer};
}

Error run(const Call& call, MPI_Status* status);
Error run_all(const Call& call, MPI_Status* status);
Error start(const Call& call, request::Request** out);
Error start_all(const Call& call, request::Request** out);
// `name`: of the pair of functions, "MPI_File_read_all".
Error begin(const Call& call, const char* name);
Error end(File& file, const void* buffer, const char* name, MPI_Status* status);

}  // namespace heddle::io
