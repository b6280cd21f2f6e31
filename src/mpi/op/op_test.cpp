// Predefined operations against one element at a time, written here once more.

#include "mpi/op/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/datatype/make.h"
#include "mpi/datatype/named.h"
#include "mpi/op/kernels.h"

namespace heddle::op {
namespace {

using datatype::Family;
using datatype::NamedType;
using datatype::Representation;
using testing::HasSubstr;

std::mt19937_64 random_bits(11);

std::int64_t number(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random_bits);
}

// Small, so that no sum or product leaves the type and all of them are exact.
template <class T>
T value() {
  if constexpr (std::is_same_v<T, bool>) {
    return number(0, 1) != 0;
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(number(0, 11));
  } else {
    return static_cast<T>(number(-11, 11));
  }
}
template <>
std::complex<float> value() {
  return {value<float>(), value<float>()};
}
template <>
std::complex<double> value() {
  return {value<double>(), value<double>()};
}
template <>
std::complex<long double> value() {
  return {value<long double>(), value<long double>()};
}

// Applies `op` to `count` random elements at odd addresses and compares with `expect(a, b)`.
template <class T, class Expect>
void check_op(MPI_Op op, MPI_Datatype type, Expect expect) {
  const Op& operation = *from_handle(op);
  const datatype::Datatype& layout = datatype::named(type);
  SCOPED_TRACE(operation.describe() + " on " + layout.constant_name());
  ASSERT_EQ(layout.extent(), static_cast<MPI_Count>(sizeof(T)));
  ASSERT_FALSE(operation.check(layout));
  for (std::size_t count : {1, 2, 3, 7, 64, 1001}) {
    const auto a = std::make_unique<T[]>(count), b = std::make_unique<T[]>(count);
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = value<T>();
      b[i] = value<T>();
    }
    for (std::size_t shift : {0, 1, 5}) {
      std::vector<char> in(count * sizeof(T) + 8), inout(count * sizeof(T) + 8);
      std::memcpy(in.data() + shift, a.get(), count * sizeof(T));
      std::memcpy(inout.data() + shift, b.get(), count * sizeof(T));
      operation.apply(in.data() + shift, inout.data() + shift, static_cast<MPI_Count>(count),
                      layout);
      for (std::size_t i = 0; i < count; ++i) {
        T got;
        std::memcpy(static_cast<void*>(&got), inout.data() + shift + i * sizeof(T), sizeof(T));
        ASSERT_EQ(got, T(expect(a[i], b[i]))) << "element " << i << " of " << count;
      }
    }
  }
}

template <class T>
void check_arithmetic(MPI_Datatype type) {
  check_op<T>(MPI_SUM, type, [](T a, T b) { return a + b; });
  check_op<T>(MPI_PROD, type, [](T a, T b) { return a * b; });
}

template <class T>
void check_ordered(MPI_Datatype type) {
  check_arithmetic<T>(type);
  check_op<T>(MPI_MIN, type, [](T a, T b) { return a < b ? a : b; });
  check_op<T>(MPI_MAX, type, [](T a, T b) { return a < b ? b : a; });
}

template <class T>
void check_bits(MPI_Datatype type) {
  check_op<T>(MPI_BAND, type, [](T a, T b) { return a & b; });
  check_op<T>(MPI_BOR, type, [](T a, T b) { return a | b; });
  check_op<T>(MPI_BXOR, type, [](T a, T b) { return a ^ b; });
}

// Whatever is not 0 is true; the result is 0 or 1.
template <class T>
void check_truth(MPI_Datatype type) {
  check_op<T>(MPI_LAND, type, [](T a, T b) { return a && b ? 1 : 0; });
  check_op<T>(MPI_LOR, type, [](T a, T b) { return a || b ? 1 : 0; });
  check_op<T>(MPI_LXOR, type, [](T a, T b) { return bool(a) == bool(b) ? 0 : 1; });
}

template <class T>
void check_c_integer(MPI_Datatype type) {
  check_ordered<T>(type);
  check_bits<T>(type);
  check_truth<T>(type);
}

TEST(PredefinedOp, OnCIntegersComputesWhatCComputes) {
  check_c_integer<int>(MPI_INT);
  check_c_integer<short>(MPI_SHORT);
  check_c_integer<long>(MPI_LONG);
  check_c_integer<long long>(MPI_LONG_LONG);
  check_c_integer<signed char>(MPI_SIGNED_CHAR);
  check_c_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  check_c_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  check_c_integer<unsigned>(MPI_UNSIGNED);
  check_c_integer<unsigned long>(MPI_UNSIGNED_LONG);
  check_c_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  check_c_integer<std::int8_t>(MPI_INT8_T);
  check_c_integer<std::int16_t>(MPI_INT16_T);
  check_c_integer<std::int32_t>(MPI_INT32_T);
  check_c_integer<std::int64_t>(MPI_INT64_T);
  check_c_integer<std::uint8_t>(MPI_UINT8_T);
  check_c_integer<std::uint16_t>(MPI_UINT16_T);
  check_c_integer<std::uint32_t>(MPI_UINT32_T);
  check_c_integer<std::uint64_t>(MPI_UINT64_T);
}

// The standard has no operation on it; MPICH, Intel MPI and Open MPI have those of signed char.
TEST(PredefinedOp, OnMpiCharComputesWhatCComputesWithChar) {
  check_c_integer<char>(MPI_CHAR);
}

TEST(PredefinedOp, OnIntegersOfFortranAndOfMpiComputesWhatCComputes) {
  check_ordered<std::int32_t>(MPI_INTEGER);
  check_bits<std::int32_t>(MPI_INTEGER);
  check_ordered<std::int8_t>(MPI_INTEGER1);
  check_ordered<std::int64_t>(MPI_INTEGER8);
  check_bits<std::int64_t>(MPI_INTEGER8);
  check_ordered<MPI_Aint>(MPI_AINT);
  check_bits<MPI_Aint>(MPI_AINT);
  check_ordered<MPI_Count>(MPI_COUNT);
  check_ordered<MPI_Offset>(MPI_OFFSET);
  check_bits<unsigned char>(MPI_BYTE);
}

// Not in the standard's table either.
TEST(PredefinedOp, OnIntegersOfMpiFindsTruth) {
  check_truth<MPI_Aint>(MPI_AINT);
  check_truth<MPI_Count>(MPI_COUNT);
  check_truth<MPI_Offset>(MPI_OFFSET);
}

TEST(PredefinedOp, OnFloatingNumbersComputesWhatCComputes) {
  check_ordered<float>(MPI_FLOAT);
  check_ordered<double>(MPI_DOUBLE);
  check_ordered<long double>(MPI_LONG_DOUBLE);
  check_ordered<float>(MPI_REAL);
  check_ordered<double>(MPI_DOUBLE_PRECISION);
  check_ordered<float>(MPI_REAL4);
  check_ordered<double>(MPI_REAL8);
}

TEST(PredefinedOp, OnComplexNumbersComputesWhatCxxComputes) {
  check_arithmetic<std::complex<float>>(MPI_C_FLOAT_COMPLEX);
  check_arithmetic<std::complex<double>>(MPI_C_DOUBLE_COMPLEX);
  check_arithmetic<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX);
  check_arithmetic<std::complex<float>>(MPI_CXX_FLOAT_COMPLEX);
  check_arithmetic<std::complex<double>>(MPI_CXX_DOUBLE_COMPLEX);
  check_arithmetic<std::complex<float>>(MPI_COMPLEX);
  check_arithmetic<std::complex<double>>(MPI_DOUBLE_COMPLEX);
  check_arithmetic<std::complex<float>>(MPI_COMPLEX8);
  check_arithmetic<std::complex<double>>(MPI_COMPLEX16);
}

TEST(PredefinedOp, OnTruthValuesGivesOneOrZero) {
  check_truth<bool>(MPI_C_BOOL);
  check_truth<bool>(MPI_CXX_BOOL);
  check_truth<std::int32_t>(MPI_LOGICAL);
  check_truth<std::int8_t>(MPI_LOGICAL1);
  check_truth<std::int64_t>(MPI_LOGICAL8);
}

// What no C type here has: 128-bit integers and floats, and halves, element by element in double.
template <class T>
void check_wide(MPI_Datatype type) {
  T a[5], b[5];
  for (int i = 0; i < 5; ++i) {
    a[i] = static_cast<T>(i + 1);
    b[i] = static_cast<T>(7 - 2 * i);
  }
  from_handle(MPI_SUM)->apply(a, b, 5, datatype::named(type));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(static_cast<double>(b[i]), 8 - i);
  from_handle(MPI_PROD)->apply(a, b, 5, datatype::named(type));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(static_cast<double>(b[i]), (8 - i) * (i + 1));
  from_handle(MPI_MIN)->apply(a, b, 5, datatype::named(type));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(static_cast<double>(b[i]), i + 1);
}

TEST(PredefinedOp, OnTheWidestAndShortestTypesOfFortranIsExact) {
  check_wide<__int128>(MPI_INTEGER16);
  check_wide<__float128>(MPI_REAL16);
  check_wide<_Float16>(MPI_REAL2);
}

TEST(PredefinedOp, SumsThatOverflowWrapAround) {
  int a = INT32_MAX, b = 1;
  from_handle(MPI_SUM)->apply(&a, &b, 1, datatype::named(MPI_INT));
  EXPECT_EQ(b, INT32_MIN);
  std::uint16_t c = 65535, d = 65535;
  from_handle(MPI_PROD)->apply(&c, &d, 1, datatype::named(MPI_UINT16_T));
  EXPECT_EQ(d, 1);
}

template <class V, class I>
struct Pair {
  V value;
  I index;
};

template <class V, class I>
void check_locations(MPI_Datatype type) {
  SCOPED_TRACE(datatype::named(type).constant_name());
  using P = Pair<V, I>;
  constexpr int kCount = 200;
  std::vector<P> a(kCount), b(kCount);
  for (int i = 0; i < kCount; ++i) {  // few values, so that many are equal
    a[i] = {static_cast<V>(number(-2, 2)), static_cast<I>(number(0, 3))};
    b[i] = {static_cast<V>(number(-2, 2)), static_cast<I>(number(0, 3))};
  }
  for (const bool largest : {false, true}) {
    std::vector<P> got = b;
    const Op& op = *from_handle(largest ? MPI_MAXLOC : MPI_MINLOC);
    ASSERT_FALSE(op.check(datatype::named(type)));
    op.apply(a.data(), got.data(), kCount, datatype::named(type));
    for (int i = 0; i < kCount; ++i) {
      const P first = a[i], second = b[i];
      P expected = second;
      if (first.value == second.value) {
        expected.index = std::min(first.index, second.index);
      } else if ((first.value > second.value) == largest) {
        expected = first;
      }
      ASSERT_EQ(got[i].value, expected.value);
      ASSERT_EQ(got[i].index, expected.index);
    }
  }
}

TEST(PredefinedOp, FindsTheExtremeValueAndTheLowestOfItsPlaces) {
  check_locations<float, int>(MPI_FLOAT_INT);
  check_locations<double, int>(MPI_DOUBLE_INT);
  check_locations<long, int>(MPI_LONG_INT);
  check_locations<int, int>(MPI_2INT);
  check_locations<short, int>(MPI_SHORT_INT);
  check_locations<long double, int>(MPI_LONG_DOUBLE_INT);
  check_locations<float, float>(MPI_2REAL);
  check_locations<double, double>(MPI_2DOUBLE_PRECISION);
  check_locations<int, int>(MPI_2INTEGER);
}

// The table of MPI 5.0 §6.9.2, with MPI_CHAR as one more C integer, and logical operations on integers of
// MPI.
bool is_defined(MPI_Op op, Family family) {
  const bool c_integer = family == Family::kCInteger || family == Family::kCharacter;
  const bool integer =
      c_integer || family == Family::kFortranInteger || family == Family::kMultiLanguage;
  if (op == MPI_MIN || op == MPI_MAX) return integer || family == Family::kFloating;
  if (op == MPI_SUM || op == MPI_PROD) {
    return integer || family == Family::kFloating || family == Family::kComplex;
  }
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) {
    return integer || family == Family::kByte;
  }
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) {
    return c_integer || family == Family::kLogical || family == Family::kMultiLanguage;
  }
  return (op == MPI_MINLOC || op == MPI_MAXLOC) && family == Family::kPair;
}

TEST(PredefinedOp, IsDefinedOnWhatTheTableSaysAndThenRuns) {
  alignas(16) char in[32] = {}, inout[32] = {};
  int defined = 0;
  for (std::uintptr_t bits = 0x20; bits < 0x40; ++bits) {
    const auto handle = reinterpret_cast<MPI_Op>(bits);
    const Op* op = from_handle(handle);
    if (op == nullptr) continue;
    for (const NamedType& type : datatype::named_types()) {
      Error e = op->check(datatype::named(type.handle));
      EXPECT_EQ(!e, is_defined(handle, type.family)) << op->describe() << " on " << type.name;
      if (e) {
        EXPECT_EQ(e.error_class(), MPI_ERR_OP);
        EXPECT_THAT(std::string(e.text()), HasSubstr(op->describe()));
        continue;
      }
      op->apply(in, inout, 1, datatype::named(type.handle));
      ++defined;
    }
  }
  EXPECT_GT(defined, 300);
}

TEST(PredefinedOp, IsNotDefinedOnDerivedTypes) {
  Rank rank(0);
  Rank::enter(&rank);
  datatype::Datatype* made = nullptr;
  ASSERT_FALSE(datatype::make_contiguous(false, 2, &datatype::named(MPI_INT), &made));
  const auto type = object::Ref<datatype::Datatype>::adopt(made);
  type->labels().set_name("pair of ints");
  Error e = from_handle(MPI_SUM)->check(*type);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_OP);
  EXPECT_THAT(std::string(e.text()), HasSubstr("MPI_SUM is not defined on \"pair of ints\""));
  Rank::enter(nullptr);
}

TEST(PredefinedOp, ReplaceCopiesAndNoOpLeaves) {
  const int in[] = {1, 2};
  int inout[] = {3, 4};
  from_handle(MPI_NO_OP)->apply(in, inout, 2, datatype::named(MPI_INT));
  EXPECT_THAT(inout, testing::ElementsAre(3, 4));
  from_handle(MPI_REPLACE)->apply(in, inout, 2, datatype::named(MPI_INT));
  EXPECT_THAT(inout, testing::ElementsAre(1, 2));
}

TEST(PredefinedOp, IsCommutativeButForThoseOfOneSidedCommunication) {
  EXPECT_TRUE(from_handle(MPI_SUM)->commutative());
  EXPECT_TRUE(from_handle(MPI_MAXLOC)->commutative());
  EXPECT_EQ(from_handle(MPI_OP_NULL), nullptr);
  EXPECT_EQ(from_handle(reinterpret_cast<MPI_Op>(std::uintptr_t{0x3f})), nullptr);
}

// With every set of vector instructions that this processor has: the same bits, at any address and length.
TEST(Kernels, VectorInstructionsChangeNoBit) {
  constexpr std::size_t kLargest = 48, kMost = 131;
  struct {
    const Table& table;
    bool is_there;
  } const levels[] = {{kAvx2Kernels, __builtin_cpu_supports("avx2") != 0},
                      {kAvx512Kernels, __builtin_cpu_supports("avx512vl") != 0}};
  std::vector<unsigned char> in(kLargest * kMost + 1), start(in.size());
  for (auto* bytes : {&in, &start}) {
    for (unsigned char& byte : *bytes) byte = number(0, 0x3f);  // no number is a NaN or infinite
  }
  for (const auto& level : levels) {
    if (!level.is_there) continue;
    for (std::size_t operation = 0; operation < kOperations; ++operation) {
      for (std::size_t type = 0; type < datatype::kRepresentations; ++type) {
        const Kernel usual = kUsualKernels[operation][type], other = level.table[operation][type];
        ASSERT_EQ(usual == nullptr, other == nullptr);
        if (usual == nullptr) continue;
        for (const std::size_t count : {1U, 3U, 64U, 131U}) {
          std::vector<unsigned char> expected = start, found = start;
          usual(in.data() + 1, expected.data() + 1, count);
          other(in.data() + 1, found.data() + 1, count);
          EXPECT_EQ(found, expected) << "operation " << operation << ", representation " << type;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::op
