#include "mpi/lifetime/making.h"

#include <new>
#include <vector>  // std::__throw_bad_alloc: operator new(nothrow) wants one, though none is thrown

#include "base/settings.h"
#include "exec/rank/rank.h"
#include "mpi/lifetime/collector.h"

namespace heddle::lifetime {

thread_local constinit int Making::depth_ = 0;

namespace {

const bool makes_start_cycles =
    settings::value(settings::Id::kCycleAt) == static_cast<int>(settings::CycleAt::kMaking);

bool collects() noexcept {
  return policy == Policy::kCollector && Rank::current() != nullptr;
}

std::new_handler handler_before;

// True if something has ended.
bool collect_some() noexcept {
  if (!Making::here() || !collects()) return false;
  Collector& collector = Collector::of_rank();
  const auto before = collector.counters().reclaimed;
  collector.collect();
  return collector.counters().reclaimed != before;
}

void find_memory() {
  if (collect_some()) return;
  if (handler_before == nullptr) std::__throw_bad_alloc();
  handler_before();
}

[[maybe_unused]] const bool installed = [] {
  handler_before = std::set_new_handler(find_memory);
  return true;
}();

}  // namespace

Making::Making() noexcept {
  if (collects()) {
    Collector& collector =
        Collector::of_rank();  // made here: at the end of the rank it ends what is left
    if (makes_start_cycles) collector.collect_if_due();
  }
  ++depth_;
}

}  // namespace heddle::lifetime
