#include "mpi/datatype/bounds.h"

#include <algorithm>
#include <cstdint>

namespace heddle::datatype {

namespace {

// False if the sum leaves MPI_Count.
bool add(MPI_Count* value, Wide by) noexcept {
  return !__builtin_add_overflow(*value, by, value);
}

// Puts the last bounds, and finds out whether they fit.
void settle(Bounds* bounds) noexcept {
  MPI_Count true_extent = 0, extent = 0;
  bool too_far = __builtin_sub_overflow(bounds->true_upper, bounds->true_lower, &true_extent);
  if (!bounds->marked) {
    const auto over = static_cast<std::uint64_t>(true_extent);  // which may be INT64_MIN
    const auto gap = static_cast<MPI_Count>(-over) & (bounds->alignment - 1);
    bounds->lower = bounds->true_lower;
    too_far |= __builtin_add_overflow(bounds->true_upper, gap, &bounds->upper);
  }
  too_far |= __builtin_sub_overflow(bounds->upper, bounds->lower, &extent);
  // INT64_MIN does not fit: it has no opposite.
  const MPI_Count least = std::min({bounds->true_lower, bounds->lower, bounds->upper, extent});
  bounds->fits = bounds->fits && !too_far && least != INT64_MIN;
}

// Moves the lower bounds by `down` bytes and the upper ones by `up`. Without data the true bounds
// stay 0.
void stretch(Bounds* bounds, Wide down, Wide up) noexcept {
  bool fits = bounds->fits;
  if (bounds->size != 0) {
    fits = add(&bounds->true_lower, down) && add(&bounds->true_upper, up) && fits;
  }
  if (bounds->marked) fits = add(&bounds->lower, down) && add(&bounds->upper, up) && fits;
  bounds->fits = fits;
  settle(bounds);
}

}  // namespace

Bounds of_data(MPI_Count size, MPI_Count elements, MPI_Count upper, MPI_Count alignment) noexcept {
  Bounds bounds{.size = size, .elements = elements, .true_upper = upper, .alignment = alignment};
  settle(&bounds);
  return bounds;
}

Bounds shifted(const Bounds& bounds, Wide by) noexcept {
  Bounds moved = bounds;
  stretch(&moved, by, by);
  return moved;
}

Bounds marked(const Bounds& bounds, MPI_Count lower, Wide extent) noexcept {
  Bounds resized = bounds;
  resized.marked = true;
  resized.lower = resized.upper = lower;
  resized.fits = add(&resized.upper, extent) && bounds.fits;
  settle(&resized);
  return resized;
}

Bounds repeated(const Bounds& bounds, MPI_Count count, Wide stride) noexcept {
  if (count <= 0) return Bounds{.fits = bounds.fits};
  // Two copies that are so far apart do not fit, and Wide has room for the product.
  constexpr Wide kTooFar = Wide{1} << 64;
  const Wide way = (count - 1) * std::clamp(stride, -kTooFar, kTooFar);
  Bounds all = bounds;
  const bool too_large = __builtin_mul_overflow(bounds.size, count, &all.size) ||
                         __builtin_mul_overflow(bounds.elements, count, &all.elements);
  all.fits = bounds.fits && !too_large;
  stretch(&all, std::min<Wide>(way, 0), std::max<Wide>(way, 0));
  return all;
}

Bounds joined(const Bounds& a, const Bounds& b) noexcept {
  Bounds all = a;
  all.fits = a.fits && b.fits && add(&all.size, b.size) && add(&all.elements, b.elements);
  if (a.size == 0) {
    all.true_lower = b.true_lower;
    all.true_upper = b.true_upper;
  } else if (b.size != 0) {
    all.true_lower = std::min(a.true_lower, b.true_lower);
    all.true_upper = std::max(a.true_upper, b.true_upper);
  }
  if (!a.marked) {
    all.marked = b.marked;
    all.lower = b.lower;
    all.upper = b.upper;
  } else if (b.marked) {
    all.lower = std::min(a.lower, b.lower);
    all.upper = std::max(a.upper, b.upper);
  }
  all.alignment = std::max(a.alignment, b.alignment);
  settle(&all);
  return all;
}

}  // namespace heddle::datatype
