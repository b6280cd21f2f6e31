#include "exec/heap/heap.h"

#include <dlfcn.h>
#include <mpi.h>

#include <vector>

#include "base/settings.h"
#include "base/spin_lock.h"
#include "exec/heap/area.h"
#include "exec/heap/mimalloc_calls.h"
#include "exec/rank/rank.h"

namespace heddle::heap {

namespace {

constexpr char kLibrary[] = "libmimalloc.so.2";
constexpr std::int64_t kMimalloc = 1;  // choice of HEDDLE_MALLOC

constinit MimallocCalls mimalloc{};
constinit bool ranks_have_heaps = false;

bool is_wanted() noexcept {
  return settings::value(settings::Id::kMalloc) == kMimalloc;
}

// Lock: guards the areas of ranks that have ended.
SpinLock used_lock;
std::vector<Area*>& used_areas() {
  static auto& areas = *new std::vector<Area*>;  // nothing of it is ever destroyed
  return areas;
}

Area* take_area() {
  {
    SpinGuard guard(used_lock);
    std::vector<Area*>& areas = used_areas();
    if (!areas.empty()) {
      Area* const area = areas.back();
      areas.pop_back();
      return area;
    }
  }
  return make_area(mimalloc);
}

// The area of a rank, while the rank lives.
class RankHeap {
 public:
  RankHeap() : area_(take_area()) {}
  ~RankHeap() {
    if (area_ == nullptr) return;
    SpinGuard guard(used_lock);
    used_areas().push_back(area_);
  }
  RankHeap(const RankHeap&) = delete;
  RankHeap& operator=(const RankHeap&) = delete;

  Area* area() const noexcept { return area_; }

 private:
  Area* const area_;
};

RankLocal<RankHeap> heap_of_rank;

// nullptr: the calling strand's rank has none.
Area* find_area() noexcept {
  const RankHeap* const found = ranks_have_heaps ? heap_of_rank.find() : nullptr;
  return found != nullptr ? found->area() : nullptr;
}

bool add(const mi_heap_t*, const mi_heap_area_t* page, void*, std::size_t, void* statistics) {
  auto& sum = *static_cast<Statistics*>(statistics);
  sum.used += page->used * page->block_size;  // it counts blocks
  sum.committed += page->committed;
  return true;
}

}  // namespace

const char* find_library() noexcept {
  if (!is_wanted()) return nullptr;
  return dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL) != nullptr ? kLibrary : nullptr;
}

Error wire(bool has_other) {
  if (!is_wanted()) return {};
  ranks_have_heaps = find_mimalloc(&mimalloc);
  if (ranks_have_heaps || has_other) return {};
  return Error::make(
      MPI_ERR_UNSUPPORTED_OPERATION,
      "HEDDLE_MALLOC is 'mimalloc', but there is no %s of version 2; install it (Debian: "
      "libmimalloc2.0), or leave the setting out",
      kLibrary);
}

void begin_rank(int numa_node) noexcept {
  if (!ranks_have_heaps) return;
  Area* const area = heap_of_rank.get().area();
  if (area == nullptr) return;
  area->pages.begin_on(numa_node);
  begin_strand();
}

void begin_strand() noexcept {
  const Area* const area = find_area();
  if (area == nullptr) return;
  mi_heap_t* const heap = mimalloc.new_heap(area->arena);
  if (heap != nullptr) mimalloc.set_default(heap);
}

void end_strand() noexcept {
  if (ranks_have_heaps) mimalloc.end_thread();
}

FollowingPages* pages_of(Rank& rank) noexcept {
  Area* const area = ranks_have_heaps ? heap_of_rank.of(rank).area() : nullptr;
  return area != nullptr ? &area->pages : nullptr;
}

Statistics statistics() noexcept {
  Statistics sum;
  if (!ranks_have_heaps) return sum;
  mi_heap_t* const heap = mimalloc.get_default();
  mimalloc.collect(heap, /*force=*/false);  // what others have freed
  mimalloc.visit(heap, /*visit_all_blocks=*/false, add, &sum);
  return sum;
}

}  // namespace heddle::heap
