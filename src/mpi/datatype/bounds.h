// bounds.h — the arithmetic of a typemap: size, bounds, alignment (MPI 5.0 §5.1.6 to §5.1.9).
//
// A typemap is a list of (basic type, displacement). Its bounds are
//
//     true_lower ──► first data byte          last data byte + 1 ◄── true_upper
//   lower ──┐                                                     ┌── upper
//           ▼                                                     ▼
//      ─────┬────────┬───────────────────┬──────────────────┬─────┬──────► address
//           │  gap   │ data ...          │ ... data         │ gap │
//
// lower and upper are where markers put them (MPI_Type_create_resized; they stay with every type
// built on it), else the true ones, with the upper rounded up to the strictest alignment.
//
// The values are Wide (128 bits), because a product of counts may leave MPI_Count. Ask fits()
// before narrowing one.
//
// Thread safety: plain values and functions.

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>

namespace heddle::datatype {

using Wide = __int128;

struct Bounds {
  Wide size = 0;
  Wide elements = 0;  // basic ones
  Wide true_lower = 0, true_upper = 0;
  bool marked = false;  // marker_lower and marker_upper mean something
  Wide marker_lower = 0, marker_upper = 0;
  Wide alignment = 1;  // a power of two, as those of all basic types

  Wide lower() const noexcept { return marked ? marker_lower : true_lower; }
  Wide upper() const noexcept {
    if (marked) return marker_upper;
    const Wide over = (true_upper - true_lower) & (alignment - 1);
    return over == 0 ? true_upper : true_upper + alignment - over;
  }
  Wide extent() const noexcept { return upper() - lower(); }

  // True if every value can be represented as MPI_Count.
  bool fits() const noexcept {
    const auto ok = [](Wide value) {
      const auto narrow = static_cast<MPI_Count>(value);
      return narrow == value && narrow != INT64_MIN;
    };
    const Wide low = lower(), high = upper();
    return ok(size) && ok(elements) && ok(true_lower) && ok(true_upper) && ok(low) && ok(high) &&
           ok(high - low) && ok(true_upper - true_lower);
  }
};

// The typemap moved by `by` bytes.
Bounds shifted(Bounds bounds, Wide by) noexcept;

// `count` copies, each `stride` bytes after the one before. With count 0 the bounds of an empty
// typemap.
Bounds repeated(const Bounds& bounds, Wide count, Wide stride) noexcept;

// The bounds of both typemaps, one after the other.
Bounds joined(const Bounds& a, const Bounds& b) noexcept;

}  // namespace heddle::datatype
