#include "exec/heap/heap.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "base/fork.h"
#include "base/platform/topology.h"
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

bool is_wanted(int ranks) noexcept {
  return settings::value(settings::Id::kMalloc) == kMimalloc && ranks <= kMostRanks;
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

// What a rank has while it lives.
struct RankHeap {
  RankHeap() = default;
  ~RankHeap() {
    if (pages != nullptr) pages->stop();
    if (area == nullptr) return;
    SpinGuard guard(used_lock);
    used_areas().push_back(area);
  }
  RankHeap(RankHeap&&) = delete;

  Area* area = nullptr;
  std::shared_ptr<FollowingPages> pages;  // nullptr: there is one NUMA node
};

RankLocal<RankHeap> heap_of_rank;

// nullptr: the calling strand's rank has none.
Area* find_area() noexcept {
  const RankHeap* const found = ranks_have_heaps ? heap_of_rank.find() : nullptr;
  return found != nullptr ? found->area : nullptr;
}

// True if the cores that ranks may have are on several nodes.
bool has_nodes() noexcept {
  static const bool has = [] {
    const std::vector<platform::Core>& cores = platform::usable_cores();
    return std::any_of(cores.begin(), cores.end(), [&cores](const platform::Core& core) {
      return core.numa_node != cores.front().numa_node;
    });
  }();
  return has;
}

bool add(const mi_heap_t*, const mi_heap_area_t* page, void*, std::size_t, void* statistics) {
  auto& sum = *static_cast<Statistics*>(statistics);
  sum.used += page->used * page->block_size;  // it counts blocks
  sum.committed += page->committed;
  return true;
}

}  // namespace

const char* find_library(int ranks) noexcept {
  if (!is_wanted(ranks)) return nullptr;
  return dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL) != nullptr ? kLibrary : nullptr;
}

Error wire(int ranks, bool has_other) {
  if (!is_wanted(ranks)) return {};
  ranks_have_heaps = find_mimalloc(&mimalloc);
  // Otherwise a strand's first segment is committed by parts, and mimalloc clears its head, 44 KB
  // that are zero already.
  if (ranks_have_heaps) mimalloc.set_option(mi_option_eager_commit_delay, 0);
  if (ranks_have_heaps || has_other) return {};
  return Error::make(
      MPI_ERR_UNSUPPORTED_OPERATION,
      "HEDDLE_MALLOC is 'mimalloc', but there is no %s of version 2; install it (Debian: "
      "libmimalloc2.0), or leave the setting out",
      kLibrary);
}

void begin_rank(int numa_node) noexcept {
  if (!ranks_have_heaps && !has_nodes()) return;
  RankHeap& mine = heap_of_rank.get();
  if (has_nodes()) mine.pages = FollowingPages::on(numa_node);
  if (!ranks_have_heaps) return;
  mine.area = take_area();
  if (mine.area == nullptr) return;
  add_pages(mine.area->low, mine.area->bytes);
  begin_strand();
}

bool has_following_pages() noexcept {
  const RankHeap* const mine = heap_of_rank.find();
  return mine != nullptr && mine->pages != nullptr;
}

void add_pages(void* low, std::size_t bytes) noexcept {
  const RankHeap* const mine = heap_of_rank.find();
  if (mine != nullptr && mine->pages != nullptr) mine->pages->add(low, bytes);
}

void begin_strand() noexcept {
  const Area* const area = find_area();
  if (area == nullptr) return;
  mi_heap_t* const heap = mimalloc.new_heap(area->arena);
  if (heap != nullptr) mimalloc.set_default(heap);
}

void end_strand() noexcept {
  if (ranks_have_heaps && !is_child()) mimalloc.end_thread();
}

std::shared_ptr<FollowingPages> pages_of(Rank& rank) noexcept {
  return has_nodes() ? heap_of_rank.of(rank).pages : nullptr;
}

Statistics statistics() noexcept {
  Statistics sum;
  if (!ranks_have_heaps) return sum;
  mi_heap_t* const heap = mimalloc.get_default();
  if (!is_child()) mimalloc.collect(heap, /*force=*/false);  // what others have freed
  mimalloc.visit(heap, /*visit_all_blocks=*/false, add, &sum);
  return sum;
}

}  // namespace heddle::heap
