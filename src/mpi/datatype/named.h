// named.h — the datatypes that the standard names, each a constant of the ABI (MPI 5.0 §3.2.2).
//
// Representation says what the bytes of one basic element are. Family says which operations the
// standard allows on it (§6.9.2). Sizes are those of C on this machine and of gfortran's defaults.
//
// Thread safety: constant.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace heddle::datatype {

enum class Representation : std::uint8_t {
  kNone,  // bytes with no arithmetic, and every derived type
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kFloat80,  // long double
  kFloat128,
  kComplex16,
  kComplex32,
  kComplex64,
  kComplex80,
  kComplex128,
  kFloatInt,  // a value and its index, for MPI_MAXLOC and MPI_MINLOC
  kDoubleInt,
  kLongInt,
  kIntInt,
  kShortInt,
  kLongDoubleInt,
  kFloatFloat,
  kDoubleDouble,
};
inline constexpr int kRepresentations = static_cast<int>(Representation::kDoubleDouble) + 1;

enum class Family : std::uint8_t {
  kOther,  // packed data, wide and Fortran's characters: no operation
  kCInteger,
  kFortranInteger,
  kFloating,
  kLogical,
  kComplex,
  kByte,
  kMultiLanguage,  // MPI_AINT, MPI_OFFSET, MPI_COUNT
  kPair,
  kCharacter,  // MPI_CHAR: none in the standard; other MPIs compute with it, and so do we
};
inline constexpr int kFamilies = static_cast<int>(Family::kCharacter) + 1;

struct NamedType {
  MPI_Datatype handle;
  const char* name;
  Representation representation;
  Family family;
  int size;  // bytes of data
  int extent;
  int alignment;
  int second_offset;  // of a pair's second element; 0: not a pair
  int second_size;
};

// All of them, in no order.
std::span<const NamedType> named_types() noexcept;

}  // namespace heddle::datatype
