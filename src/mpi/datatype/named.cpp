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
  const NamedType rows[] = {
      basic(MPI_AINT, "MPI_AINT", Representation::kInt64, Family::kMultiLanguage, 8, 8),
      basic(MPI_COUNT, "MPI_COUNT", Representation::kInt64, Family::kMultiLanguage, 8, 8),
      basic(MPI_OFFSET, "MPI_OFFSET", Representation::kInt64, Family::kMultiLanguage, 8, 8),
      basic(MPI_PACKED, "MPI_PACKED", Representation::kNone, Family::kOther, 1, 1),
      basic(MPI_BYTE, "MPI_BYTE", Representation::kUint8, Family::kByte, 1, 1),
      basic(MPI_CHAR, "MPI_CHAR", Representation::kInt8, Family::kCharacter, 1, 1),
      basic(MPI_WCHAR, "MPI_WCHAR", Representation::kNone, Family::kOther, 4, 4),
      basic(MPI_CHARACTER, "MPI_CHARACTER", Representation::kNone, Family::kOther, 1, 1),
      basic(MPI_SHORT, "MPI_SHORT", Representation::kInt16, Family::kCInteger, 2, 2),
      basic(MPI_INT, "MPI_INT", Representation::kInt32, Family::kCInteger, 4, 4),
      basic(MPI_LONG, "MPI_LONG", Representation::kInt64, Family::kCInteger, 8, 8),
      basic(MPI_LONG_LONG, "MPI_LONG_LONG_INT", Representation::kInt64, Family::kCInteger, 8, 8),
      basic(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", Representation::kUint16, Family::kCInteger, 2,
            2),
      basic(MPI_UNSIGNED, "MPI_UNSIGNED", Representation::kUint32, Family::kCInteger, 4, 4),
      basic(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", Representation::kUint64, Family::kCInteger, 8,
            8),
      basic(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", Representation::kUint64,
            Family::kCInteger, 8, 8),
      basic(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", Representation::kInt8, Family::kCInteger, 1, 1),
      basic(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", Representation::kUint8, Family::kCInteger, 1,
            1),
      basic(MPI_INT8_T, "MPI_INT8_T", Representation::kInt8, Family::kCInteger, 1, 1),
      basic(MPI_UINT8_T, "MPI_UINT8_T", Representation::kUint8, Family::kCInteger, 1, 1),
      basic(MPI_INT16_T, "MPI_INT16_T", Representation::kInt16, Family::kCInteger, 2, 2),
      basic(MPI_UINT16_T, "MPI_UINT16_T", Representation::kUint16, Family::kCInteger, 2, 2),
      basic(MPI_INT32_T, "MPI_INT32_T", Representation::kInt32, Family::kCInteger, 4, 4),
      basic(MPI_UINT32_T, "MPI_UINT32_T", Representation::kUint32, Family::kCInteger, 4, 4),
      basic(MPI_INT64_T, "MPI_INT64_T", Representation::kInt64, Family::kCInteger, 8, 8),
      basic(MPI_UINT64_T, "MPI_UINT64_T", Representation::kUint64, Family::kCInteger, 8, 8),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

// Floating point, complex and logical types of C and C++.
void append_floating_types(std::vector<NamedType>& table) {
  const NamedType rows[] = {
      basic(MPI_FLOAT, "MPI_FLOAT", Representation::kFloat32, Family::kFloating, 4, 4),
      basic(MPI_DOUBLE, "MPI_DOUBLE", Representation::kFloat64, Family::kFloating, 8, 8),
      basic(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", Representation::kFloat80, Family::kFloating, 16,
            16),
      basic(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", Representation::kComplex32, Family::kComplex, 8,
            4),
      basic(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", Representation::kComplex64,
            Family::kComplex, 16, 8),
      basic(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", Representation::kComplex80,
            Family::kComplex, 32, 16),
      basic(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", Representation::kComplex32,
            Family::kComplex, 8, 4),
      basic(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", Representation::kComplex64,
            Family::kComplex, 16, 8),
      basic(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", Representation::kComplex80,
            Family::kComplex, 32, 16),
      basic(MPI_C_BOOL, "MPI_C_BOOL", Representation::kUint8, Family::kLogical, 1, 1),
      basic(MPI_CXX_BOOL, "MPI_CXX_BOOL", Representation::kUint8, Family::kLogical, 1, 1),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

// Fortran's LOGICAL, INTEGER and REAL have 4 bytes, DOUBLE PRECISION has 8; and the pairs.
void append_fortran_types(std::vector<NamedType>& table) {
  const NamedType rows[] = {
      basic(MPI_LOGICAL, "MPI_LOGICAL", Representation::kInt32, Family::kLogical, 4, 4),
      basic(MPI_INTEGER, "MPI_INTEGER", Representation::kInt32, Family::kFortranInteger, 4, 4),
      basic(MPI_REAL, "MPI_REAL", Representation::kFloat32, Family::kFloating, 4, 4),
      basic(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", Representation::kFloat64,
            Family::kFloating, 8, 8),
      basic(MPI_COMPLEX, "MPI_COMPLEX", Representation::kComplex32, Family::kComplex, 8, 4),
      basic(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", Representation::kComplex64, Family::kComplex,
            16, 8),
      basic(MPI_LOGICAL1, "MPI_LOGICAL1", Representation::kInt8, Family::kLogical, 1, 1),
      basic(MPI_INTEGER1, "MPI_INTEGER1", Representation::kInt8, Family::kFortranInteger, 1, 1),
      basic(MPI_LOGICAL2, "MPI_LOGICAL2", Representation::kInt16, Family::kLogical, 2, 2),
      basic(MPI_INTEGER2, "MPI_INTEGER2", Representation::kInt16, Family::kFortranInteger, 2, 2),
      basic(MPI_LOGICAL4, "MPI_LOGICAL4", Representation::kInt32, Family::kLogical, 4, 4),
      basic(MPI_INTEGER4, "MPI_INTEGER4", Representation::kInt32, Family::kFortranInteger, 4, 4),
      basic(MPI_LOGICAL8, "MPI_LOGICAL8", Representation::kInt64, Family::kLogical, 8, 8),
      basic(MPI_INTEGER8, "MPI_INTEGER8", Representation::kInt64, Family::kFortranInteger, 8, 8),
      basic(MPI_LOGICAL16, "MPI_LOGICAL16", Representation::kInt128, Family::kLogical, 16, 16),
      basic(MPI_INTEGER16, "MPI_INTEGER16", Representation::kInt128, Family::kFortranInteger, 16,
            16),
      basic(MPI_REAL2, "MPI_REAL2", Representation::kFloat16, Family::kFloating, 2, 2),
      basic(MPI_REAL4, "MPI_REAL4", Representation::kFloat32, Family::kFloating, 4, 4),
      basic(MPI_REAL8, "MPI_REAL8", Representation::kFloat64, Family::kFloating, 8, 8),
      basic(MPI_REAL16, "MPI_REAL16", Representation::kFloat128, Family::kFloating, 16, 16),
      basic(MPI_COMPLEX4, "MPI_COMPLEX4", Representation::kComplex16, Family::kComplex, 4, 2),
      basic(MPI_COMPLEX8, "MPI_COMPLEX8", Representation::kComplex32, Family::kComplex, 8, 4),
      basic(MPI_COMPLEX16, "MPI_COMPLEX16", Representation::kComplex64, Family::kComplex, 16, 8),
      basic(MPI_COMPLEX32, "MPI_COMPLEX32", Representation::kComplex128, Family::kComplex, 32, 16),
      pair<float, int>(MPI_FLOAT_INT, "MPI_FLOAT_INT", Representation::kFloatInt),
      pair<double, int>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", Representation::kDoubleInt),
      pair<long, int>(MPI_LONG_INT, "MPI_LONG_INT", Representation::kLongInt),
      pair<int, int>(MPI_2INT, "MPI_2INT", Representation::kIntInt),
      pair<short, int>(MPI_SHORT_INT, "MPI_SHORT_INT", Representation::kShortInt),
      pair<long double, int>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT",
                             Representation::kLongDoubleInt),
      pair<float, float>(MPI_2REAL, "MPI_2REAL", Representation::kFloatFloat),
      pair<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION",
                           Representation::kDoubleDouble),
      pair<int, int>(MPI_2INTEGER, "MPI_2INTEGER", Representation::kIntInt),
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
