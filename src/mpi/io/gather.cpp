#include "mpi/io/gather.h"

#include <algorithm>

#include "exec/ult/scheduler.h"
#include "mpi/io/merge.h"

namespace heddle::io {

namespace {

constexpr MPI_Count kLeastRange = 1 << 20;  // below, one aggregator does all
constexpr MPI_Offset kAlignment = 1 << 16;

struct Gathering {
  Mover mover;
  Merge merge;
  int error = 0;

  void run() {
    merge.into(mover);
    error = mover.finish();
  }
};

Direction direction_of(Part& part) noexcept {
  return part.posted(0)->direction;
}

}  // namespace

int gather(Part& part, int index, int most_aggregators) {
  const auto members = static_cast<int>(part.ranks().size());
  int aggregators = std::clamp(std::min(most_aggregators, ult::worker_count()), 1, members);
  // Ranks are placed on workers in blocks, so these have different ones.
  const int each = members / aggregators;
  const int which = index / each;
  if (index % each != 0 || which >= aggregators) return 0;
  const Extent all = extent_of_all(part);
  if (all.bytes == 0) return 0;
  if (all.bytes < kLeastRange) aggregators = 1;
  if (which >= aggregators) return 0;
  const auto border = [&](int n) {
    if (n == 0) return all.first;
    if (n == aggregators) return all.end;
    const MPI_Offset at = all.first + (all.end - all.first) / aggregators * n;
    return std::max(all.first, at / kAlignment * kAlignment);
  };
  Gathering gathering{{part.descriptor(), direction_of(part)},
                      {part, {border(which), border(which + 1)}}};
  run_apart(
      part, gathering.merge.bytes(), [](void* it) { static_cast<Gathering*>(it)->run(); },
      &gathering);
  return gathering.error;
}

}  // namespace heddle::io
