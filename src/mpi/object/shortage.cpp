#include "mpi/object/shortage.h"

#include <new>
#include <vector>  // std::__throw_bad_alloc: exceptions are off here, but operator new(nothrow) wants one

#include "mpi/object/lifetimes.h"

namespace heddle::object {

thread_local constinit int CollectsInShortage::depth_ = 0;

namespace {

std::new_handler handler_before;

// True if something has ended.
bool collect_some() noexcept {
  if (!CollectsInShortage::here() || policy != Policy::kCollector || Rank::current() == nullptr) {
    return false;
  }
  Collector& collector = lifetimes().collector;
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

}  // namespace heddle::object
