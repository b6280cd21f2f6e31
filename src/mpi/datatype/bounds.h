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
// Sums and products of counts may leave MPI_Count. Then the result does not fit, and neither does
// what is computed from it, so only the last result needs a look.
//
// Thread safety: plain values and functions.

#pragma once

#include <mpi.h>

namespace heddle::datatype {

// A stride or displacement in bytes: a product of two counts.
using Wide = __int128;

struct Bounds {
  MPI_Count size = 0;
  MPI_Count elements = 0;  // basic ones
  MPI_Count true_lower = 0, true_upper = 0;
  MPI_Count lower = 0, upper = 0;
  MPI_Count alignment = 1;  // a power of two, as those of all basic types
  bool marked = false;      // markers have put lower and upper
  bool fits = true;         // false: the other values mean nothing

  MPI_Count extent() const noexcept { return upper - lower; }
  MPI_Count true_extent() const noexcept { return true_upper - true_lower; }
};

// The bounds of a basic type, or of a pair of them, whose data begin at 0.
Bounds of_data(MPI_Count size, MPI_Count elements, MPI_Count upper, MPI_Count alignment) noexcept;

// The typemap moved by `by` bytes.
Bounds shifted(const Bounds& bounds, Wide by) noexcept;

// The typemap with markers.
Bounds marked(const Bounds& bounds, MPI_Count lower, Wide extent) noexcept;

// `count` copies, each `stride` bytes after the one before. With count 0 the bounds of an empty
// typemap.
Bounds repeated(const Bounds& bounds, MPI_Count count, Wide stride) noexcept;

// The bounds of both typemaps, one after the other.
Bounds joined(const Bounds& a, const Bounds& b) noexcept;

}  // namespace heddle::datatype
