#include "mpi/io/merge.h"

namespace heddle::io {

Extent extent_of(const Access& access) {
  if (access.bytes == 0 || access.view->overlaps()) return {};
  const Range range = access.range();
  return {range.first, range.end, access.bytes};
}

Extent extent_of_all(Part& part) {
  Extent all;
  for (std::size_t i = 0; i < part.ranks().size(); ++i) {
    const Extent one = extent_of(*part.posted(static_cast<int>(i)));
    if (one.bytes == 0) continue;
    all.first = all.bytes == 0 ? one.first : std::min(all.first, one.first);
    all.end = std::max(all.end, one.end);
    all.bytes += one.bytes;
  }
  return all;
}

Merge::Merge(Part& part, Range range) {
  const auto members = part.ranks().size();
  sources_.reserve(members);
  for (std::size_t i = 0; i < members; ++i) add(*part.posted(static_cast<int>(i)), range);
}

void Merge::add(Access& access, Range range) {
  if (access.bytes == 0 || access.view->overlaps()) return;
  const View& view = *access.view;
  const MPI_Count from = std::max(access.position, view.position_from(range.first));
  const MPI_Count to = std::min(access.position + access.bytes, view.position_from(range.end));
  if (from >= to) return;
  sources_.emplace_back(access, from, to);
  bytes_ += to - from;
}

}  // namespace heddle::io
