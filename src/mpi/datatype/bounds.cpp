#include "mpi/datatype/bounds.h"

namespace heddle::datatype {

Bounds shifted(Bounds bounds, Wide by) noexcept {
  if (bounds.size != 0) {
    bounds.true_lower += by;
    bounds.true_upper += by;
  }
  bounds.marker_lower += by;
  bounds.marker_upper += by;
  return bounds;
}

Bounds repeated(const Bounds& bounds, Wide count, Wide stride) noexcept {
  if (count <= 0) return {};
  // Two copies that are so far apart do not fit, and Wide has room for the product.
  constexpr Wide kTooFar = Wide{1} << 64;
  stride = std::clamp(stride, -kTooFar, kTooFar);
  Bounds all = joined(bounds, shifted(bounds, (count - 1) * stride));
  all.size = bounds.size * count;
  all.elements = bounds.elements * count;
  return all;
}

Bounds joined(const Bounds& a, const Bounds& b) noexcept {
  Bounds all = a;
  all.size += b.size;
  all.elements += b.elements;
  if (a.size == 0) {
    all.true_lower = b.true_lower;
    all.true_upper = b.true_upper;
  } else if (b.size != 0) {
    all.true_lower = std::min(a.true_lower, b.true_lower);
    all.true_upper = std::max(a.true_upper, b.true_upper);
  }
  if (!a.marked) {
    all.marked = b.marked;
    all.marker_lower = b.marker_lower;
    all.marker_upper = b.marker_upper;
  } else if (b.marked) {
    all.marker_lower = std::min(a.marker_lower, b.marker_lower);
    all.marker_upper = std::max(a.marker_upper, b.marker_upper);
  }
  all.alignment = std::max(a.alignment, b.alignment);
  return all;
}

}  // namespace heddle::datatype
