// loops.h — the loops of the predefined operations, compiled once for each set of vector
// instructions.
//
//   loops_usual.cpp      those of every x86-64
//   loops_avx2.cpp       AVX2
//   loops_avx512.cpp     AVX-512
//
// Each of these files includes this one, with compiler options of its own, and makes one table. All
// here is of that file alone: a function that two of them had in common would have the instructions
// of either.
//
// Elements are combined one by one, and nothing is contracted, so the bits are the same with all of
// them.

#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "mpi/op/kernels.h"

namespace heddle::op {

namespace {

using datatype::Representation;

// T for elements at any address: reduction buffers lie where the program, or a packed message, has
// them.
template <class T>
struct __attribute__((packed, may_alias)) Loose {
  T value;
};

using Half = _Float16;

template <class T>
struct Complex {
  T re, im;
};

template <class V, class I>
struct Pair {
  V value;
  I index;
};

// std::is_integral does not know __int128 here, nor does std::make_unsigned.
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> || std::is_same_v<T, __int128>;

template <class T>
struct UnsignedOf {
  // No narrower than unsigned int: shorter ones would be promoted to int, which may overflow.
  using Type =
      std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <>
struct UnsignedOf<__int128> {
  using Type = unsigned __int128;
};

// Integers wrap around, as they do in every other MPI.
struct Sum {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kIsInteger<T>) {
      using U = typename UnsignedOf<T>::Type;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
};

struct Prod {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kIsInteger<T>) {
      using U = typename UnsignedOf<T>::Type;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return static_cast<T>(a * b);
    }
  }
};

struct Min {
  template <class T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};

struct Max {
  template <class T>
  static T of(T a, T b) {
    return a > b ? a : b;
  }
};

struct BitAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct LogicalAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};

struct LogicalOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};

struct LogicalXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};

// Among equal values the lower index wins (§6.9.4).
struct MinLocation {
  template <class V, class I>
  static Pair<V, I> of(Pair<V, I> a, Pair<V, I> b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

struct MaxLocation {
  template <class V, class I>
  static Pair<V, I> of(Pair<V, I> a, Pair<V, I> b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

template <class Operation, class T>
void loop(const void* in, void* inout, std::size_t count) {
  using Element = Loose<T>;
  const auto* __restrict a = static_cast<const Element*>(in);
  auto* __restrict b = static_cast<Element*>(inout);
  for (std::size_t i = 0; i < count; ++i) b[i].value = Operation::of(T(a[i].value), T(b[i].value));
}

// The sum of complex numbers is that of twice as many real ones, whose loop is vectorized.
template <class Operation, class T>
struct LoopOf {
  static constexpr Kernel kLoop = loop<Operation, T>;
};
// A product of complex numbers, one by one. With AVX-512 GCC 12 contracts it to fused operations,
// whatever -ffp-contract says.
template <class T>
[[gnu::target("no-avx512f")]] void complex_products(const void* in, void* inout,
                                                    std::size_t count) {
  using Element = Loose<T>;
  const auto* __restrict a = static_cast<const Element*>(in);
  auto* __restrict b = static_cast<Element*>(inout);
  for (std::size_t i = 0; i < 2 * count; i += 2) {
    const T re = static_cast<T>(a[i].value * b[i].value - a[i + 1].value * b[i + 1].value);
    const T im = static_cast<T>(a[i].value * b[i + 1].value + a[i + 1].value * b[i].value);
    b[i].value = re;
    b[i + 1].value = im;
  }
}
template <class T>
struct LoopOf<Prod, Complex<T>> {
  static constexpr Kernel kLoop = complex_products<T>;
};
template <class T>
struct LoopOf<Sum, Complex<T>> {
  static constexpr Kernel kLoop = [](const void* in, void* inout, std::size_t count) {
    loop<Sum, T>(in, inout, 2 * count);
  };
};

template <class T, Representation R>
struct As {
  using Type = T;
  static constexpr auto kIndex = static_cast<std::size_t>(R);
};

template <class... Each>
struct List {};

template <class Operation, class... Each>
constexpr void fill(Row& row, List<Each...>) {
  ((row[Each::kIndex] = LoopOf<Operation, typename Each::Type>::kLoop), ...);
}

using Integers =
    List<As<std::int8_t, Representation::kInt8>, As<std::int16_t, Representation::kInt16>,
         As<std::int32_t, Representation::kInt32>, As<std::int64_t, Representation::kInt64>,
         As<__int128, Representation::kInt128>, As<std::uint8_t, Representation::kUint8>,
         As<std::uint16_t, Representation::kUint16>, As<std::uint32_t, Representation::kUint32>,
         As<std::uint64_t, Representation::kUint64>>;
using Floats = List<As<Half, Representation::kFloat16>, As<float, Representation::kFloat32>,
                    As<double, Representation::kFloat64>, As<long double, Representation::kFloat80>,
                    As<__float128, Representation::kFloat128>>;
using Complexes = List<As<Complex<Half>, Representation::kComplex16>,
                       As<Complex<float>, Representation::kComplex32>,
                       As<Complex<double>, Representation::kComplex64>,
                       As<Complex<long double>, Representation::kComplex80>,
                       As<Complex<__float128>, Representation::kComplex128>>;
using Pairs =
    List<As<Pair<float, int>, Representation::kFloatInt>,
         As<Pair<double, int>, Representation::kDoubleInt>,
         As<Pair<long, int>, Representation::kLongInt>, As<Pair<int, int>, Representation::kIntInt>,
         As<Pair<short, int>, Representation::kShortInt>,
         As<Pair<long double, int>, Representation::kLongDoubleInt>,
         As<Pair<float, float>, Representation::kFloatFloat>,
         As<Pair<double, double>, Representation::kDoubleDouble>>;

template <class Operation, class... Lists>
constexpr Row row_of() {
  Row row{};
  (fill<Operation>(row, Lists()), ...);
  return row;
}

// In the order of Predefined.
constexpr Table kLoops = {{
    row_of<Sum, Integers, Floats, Complexes>(),
    row_of<Prod, Integers, Floats, Complexes>(),
    row_of<Min, Integers, Floats>(),
    row_of<Max, Integers, Floats>(),
    row_of<BitAnd, Integers>(),
    row_of<BitOr, Integers>(),
    row_of<BitXor, Integers>(),
    row_of<LogicalAnd, Integers>(),
    row_of<LogicalOr, Integers>(),
    row_of<LogicalXor, Integers>(),
    row_of<MinLocation, Pairs>(),
    row_of<MaxLocation, Pairs>(),
    {},
    {},
}};

}  // namespace

}  // namespace heddle::op
