#include "mpi/datatype/named.h"

#include <cstddef>
#include <iterator>
#include <vector>

namespace heddle::datatype {

namespace {

NamedType basic(MPI_Datatype handle, const char* name, Representation representation, Family family,
                int size, int alignment) {
  return {handle, name, representation, family, size, size, alignment, 0, 0};
}

template <class Value, class Index>
NamedType pair(MPI_Datatype handle, const char* name, Representation representation) {
  struct Pair {
    Value value;
    Index index;
  };
  return {handle,
          name,
          representation,
          Family::kPair,
          sizeof(Value) + sizeof(Index),
          sizeof(Pair),
          alignof(Pair),
          offsetof(Pair, index),
          sizeof(Index)};
}

// C's integers and what belongs to no language. Of two names for a type, one is "(as a synonym)" in
// the standard's tables; the type is called by the other.
void append_c_types(std::vector<NamedType>& table) {
  using enum Representation;
  using enum Family;
  const NamedType rows[] = {
      basic(MPI_AINT, "MPI_AINT", kInt64, kMultiLanguage, 8, 8),
      basic(MPI_COUNT, "MPI_COUNT", kInt64, kMultiLanguage, 8, 8),
      basic(MPI_OFFSET, "MPI_OFFSET", kInt64, kMultiLanguage, 8, 8),
      basic(MPI_PACKED, "MPI_PACKED", kNone, kOther, 1, 1),
      basic(MPI_BYTE, "MPI_BYTE", kUint8, kByte, 1, 1),
      basic(MPI_CHAR, "MPI_CHAR", kInt8, kCharacter, 1, 1),
      basic(MPI_WCHAR, "MPI_WCHAR", kNone, kOther, 4, 4),
      basic(MPI_CHARACTER, "MPI_CHARACTER", kNone, kOther, 1, 1),
      basic(MPI_SHORT, "MPI_SHORT", kInt16, kCInteger, 2, 2),
      basic(MPI_INT, "MPI_INT", kInt32, kCInteger, 4, 4),
      basic(MPI_LONG, "MPI_LONG", kInt64, kCInteger, 8, 8),
      basic(MPI_LONG_LONG, "MPI_LONG_LONG_INT", kInt64, kCInteger, 8, 8),
      basic(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", kUint16, kCInteger, 2, 2),
      basic(MPI_UNSIGNED, "MPI_UNSIGNED", kUint32, kCInteger, 4, 4),
      basic(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", kUint64, kCInteger, 8, 8),
      basic(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", kUint64, kCInteger, 8, 8),
      basic(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", kInt8, kCInteger, 1, 1),
      basic(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", kUint8, kCInteger, 1, 1),
      basic(MPI_INT8_T, "MPI_INT8_T", kInt8, kCInteger, 1, 1),
      basic(MPI_UINT8_T, "MPI_UINT8_T", kUint8, kCInteger, 1, 1),
      basic(MPI_INT16_T, "MPI_INT16_T", kInt16, kCInteger, 2, 2),
      basic(MPI_UINT16_T, "MPI_UINT16_T", kUint16, kCInteger, 2, 2),
      basic(MPI_INT32_T, "MPI_INT32_T", kInt32, kCInteger, 4, 4),
      basic(MPI_UINT32_T, "MPI_UINT32_T", kUint32, kCInteger, 4, 4),
      basic(MPI_INT64_T, "MPI_INT64_T", kInt64, kCInteger, 8, 8),
      basic(MPI_UINT64_T, "MPI_UINT64_T", kUint64, kCInteger, 8, 8),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

// Floating point, complex and logical types of C and C++.
void append_floating_types(std::vector<NamedType>& table) {
  using enum Representation;
  using enum Family;
  const NamedType rows[] = {
      basic(MPI_FLOAT, "MPI_FLOAT", kFloat32, kFloating, 4, 4),
      basic(MPI_DOUBLE, "MPI_DOUBLE", kFloat64, kFloating, 8, 8),
      basic(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", kFloat80, kFloating, 16, 16),
      basic(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", kComplex32, kComplex, 8, 4),
      basic(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", kComplex64, kComplex, 16, 8),
      basic(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", kComplex80, kComplex, 32, 16),
      basic(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", kComplex32, kComplex, 8, 4),
      basic(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", kComplex64, kComplex, 16, 8),
      basic(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", kComplex80, kComplex, 32,
            16),
      basic(MPI_C_BOOL, "MPI_C_BOOL", kUint8, kLogical, 1, 1),
      basic(MPI_CXX_BOOL, "MPI_CXX_BOOL", kUint8, kLogical, 1, 1),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

// Fortran's LOGICAL, INTEGER and REAL have 4 bytes, DOUBLE PRECISION has 8; and the pairs.
void append_fortran_types(std::vector<NamedType>& table) {
  using enum Representation;
  using enum Family;
  const NamedType rows[] = {
      basic(MPI_LOGICAL, "MPI_LOGICAL", kInt32, kLogical, 4, 4),
      basic(MPI_INTEGER, "MPI_INTEGER", kInt32, kFortranInteger, 4, 4),
      basic(MPI_REAL, "MPI_REAL", kFloat32, kFloating, 4, 4),
      basic(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", kFloat64, kFloating, 8, 8),
      basic(MPI_COMPLEX, "MPI_COMPLEX", kComplex32, kComplex, 8, 4),
      basic(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", kComplex64, kComplex, 16, 8),
      basic(MPI_LOGICAL1, "MPI_LOGICAL1", kInt8, kLogical, 1, 1),
      basic(MPI_INTEGER1, "MPI_INTEGER1", kInt8, kFortranInteger, 1, 1),
      basic(MPI_LOGICAL2, "MPI_LOGICAL2", kInt16, kLogical, 2, 2),
      basic(MPI_INTEGER2, "MPI_INTEGER2", kInt16, kFortranInteger, 2, 2),
      basic(MPI_LOGICAL4, "MPI_LOGICAL4", kInt32, kLogical, 4, 4),
      basic(MPI_INTEGER4, "MPI_INTEGER4", kInt32, kFortranInteger, 4, 4),
      basic(MPI_LOGICAL8, "MPI_LOGICAL8", kInt64, kLogical, 8, 8),
      basic(MPI_INTEGER8, "MPI_INTEGER8", kInt64, kFortranInteger, 8, 8),
      basic(MPI_LOGICAL16, "MPI_LOGICAL16", kInt128, kLogical, 16, 16),
      basic(MPI_INTEGER16, "MPI_INTEGER16", kInt128, kFortranInteger, 16, 16),
      basic(MPI_REAL2, "MPI_REAL2", kFloat16, kFloating, 2, 2),
      basic(MPI_REAL4, "MPI_REAL4", kFloat32, kFloating, 4, 4),
      basic(MPI_REAL8, "MPI_REAL8", kFloat64, kFloating, 8, 8),
      basic(MPI_REAL16, "MPI_REAL16", kFloat128, kFloating, 16, 16),
      basic(MPI_COMPLEX4, "MPI_COMPLEX4", kComplex16, kComplex, 4, 2),
      basic(MPI_COMPLEX8, "MPI_COMPLEX8", kComplex32, kComplex, 8, 4),
      basic(MPI_COMPLEX16, "MPI_COMPLEX16", kComplex64, kComplex, 16, 8),
      basic(MPI_COMPLEX32, "MPI_COMPLEX32", kComplex128, kComplex, 32, 16),
      pair<float, int>(MPI_FLOAT_INT, "MPI_FLOAT_INT", kFloatInt),
      pair<double, int>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", kDoubleInt),
      pair<long, int>(MPI_LONG_INT, "MPI_LONG_INT", kLongInt),
      pair<int, int>(MPI_2INT, "MPI_2INT", kIntInt),
      pair<short, int>(MPI_SHORT_INT, "MPI_SHORT_INT", kShortInt),
      pair<long double, int>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", kLongDoubleInt),
      pair<float, float>(MPI_2REAL, "MPI_2REAL", kFloatFloat),
      pair<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", kDoubleDouble),
      pair<int, int>(MPI_2INTEGER, "MPI_2INTEGER", kIntInt),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace

std::span<const NamedType> named_types() noexcept {
  static const std::vector<NamedType> table = [] {
    std::vector<NamedType> all;
    append_c_types(all);
    append_floating_types(all);
    append_fortran_types(all);
    return all;
  }();
  return table;
}

}  // namespace heddle::datatype
