// kernels.h — the loops of the predefined operations, one for each operation and representation,
// with the best vector instructions that the processor has.
//
// Thread safety: constant.

#pragma once

#include <array>
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
constexpr std::size_t kOperations = static_cast<std::size_t>(Predefined::kNone) + 1;

// inout[i] = in[i] op inout[i]. They do not overlap and need no alignment.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

// A row has a kernel for each representation; there is one row for each operation.
using Row = std::array<Kernel, datatype::kRepresentations>;
using Table = std::array<Row, kOperations>;
extern const Table kUsualKernels, kAvx2Kernels, kAvx512Kernels;

// A kernel is null where the operation makes no sense on the representation. The standard allows
// less than this, which is checked elsewhere (Op::check): MPI_BAND has a kernel for the bytes of a
// LOGICAL.
const Row& best_row(Predefined operation) noexcept;

}  // namespace heddle::op
