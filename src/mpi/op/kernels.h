// kernels.h — the loops of the predefined operations, one for each operation and representation.
//
// Thread safety: constant.

#pragma once

#include <cstddef>

#include "mpi/datatype/named.h"

namespace heddle::op {

enum class Predefined : unsigned char {
  kSum,
  kProd,
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kBitXor,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kMinLocation,
  kMaxLocation,
  kReplace,
  kNone,
};

// inout[i] = in[i] op inout[i]. They do not overlap and need no alignment.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

// nullptr if the operation makes no sense on the representation. The standard allows less than this, which is
// checked elsewhere (Op::check): MPI_BAND has a kernel for the bytes of a LOGICAL.
Kernel kernel(Predefined operation, datatype::Representation representation) noexcept;

}  // namespace heddle::op
