#include "mpi/io/gather.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "exec/ult/scheduler.h"

namespace heddle::io {

namespace {

constexpr MPI_Count kLeastRange = 1 << 20;  // below, one aggregator does all
constexpr MPI_Offset kAlignment = 1 << 16;

struct Extent {
  MPI_Offset first = std::numeric_limits<MPI_Offset>::max(), end = 0;
  MPI_Count bytes = 0;
};

bool is_gathered(const Access& access) noexcept {
  return access.bytes != 0 && !access.view->overlaps();
}

Extent extent_of_all(Part& part) {
  Extent all;
  for (std::size_t i = 0; i < part.ranks().size(); ++i) {
    const Access& access = *part.posted(static_cast<int>(i));
    if (!is_gathered(access)) continue;
    const Range range = access.range();
    all.first = std::min(all.first, range.first);
    all.end = std::max(all.end, range.end);
    all.bytes += access.bytes;
  }
  return all;
}

class Gathering {
 public:
  Gathering(Part& part, MPI_Offset first, MPI_Offset end) : part_(part) {
    const auto members = part.ranks().size();
    sources_.reserve(members);
    for (std::size_t i = 0; i < members; ++i) add(*part.posted(static_cast<int>(i)), first, end);
  }

  MPI_Count bytes() const noexcept { return bytes_; }
  int error() const noexcept { return error_; }

  void run() {
    if (sources_.empty()) return;
    Mover mover(part_.descriptor(), direction_);
    std::vector<Pieces*> heap;
    heap.reserve(sources_.size());
    for (Pieces& source : sources_) heap.push_back(&source);
    const auto later = [](const Pieces* a, const Pieces* b) { return a->offset() > b->offset(); };
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty() && mover.error() == 0) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Pieces& next = *heap.back();
      next.hand_to(mover);
      if (next.done()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    error_ = mover.finish();
  }

 private:
  void add(Access& access, MPI_Offset first, MPI_Offset end) {
    if (!is_gathered(access)) return;
    const View& view = *access.view;
    const MPI_Count from = std::max(access.position, view.position_from(first));
    const MPI_Count to = std::min(access.position + access.bytes, view.position_from(end));
    if (from >= to) return;
    direction_ = access.direction;
    sources_.emplace_back(access, from, to);
    bytes_ += to - from;
  }

  Part& part_;
  Direction direction_ = Direction::kRead;
  std::vector<Pieces> sources_;
  MPI_Count bytes_ = 0;
  int error_ = 0;
};

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
  Gathering gathering(part, border(which), border(which + 1));
  run_apart(
      part, gathering.bytes(), [](void* it) { static_cast<Gathering*>(it)->run(); }, &gathering);
  return gathering.error();
}

}  // namespace heddle::io
