#include "exec/process/exit/rank_over.h"

#include <atomic>

#include "base/section_without_switch.h"
#include "exec/rank/rank.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {
// The strand that has left the program. Of the Rank, which stays as long as it has threads.
RankLocal<std::atomic<ult::Strand*>> ended_by;

// One more than the worker; 0: none. One strand of the process at a time runs constructors.
RankLocal<std::atomic<int>> kept_by_loading;

using Act = void (*)() noexcept;
constinit Act last_act = nullptr;
}  // namespace

thread_local constinit int loading_depth = 0;

bool is_over() noexcept {
  if (Rank::current() == nullptr || ult::current() == nullptr || !may_switch_here()) return false;
  // relaxed: a strand that is late waits once more.
  const ult::Strand* last = ended_by.get().load(std::memory_order_relaxed);
  return last != nullptr && last != &ult::Strand::current();
}

bool ends_rank() noexcept {
  // relaxed: only ever set, by a strand that the caller is or descends from.
  return ended_by.get().load(std::memory_order_relaxed) != nullptr && !is_over();
}

void stand_still_if_over() noexcept {
  if (is_over()) stand_still();
}

void set_last_act(void (*act)() noexcept) noexcept {
  last_act = act;
}

void stand_still() noexcept {
  if (last_act != nullptr) last_act();
  for (;;) ult::Strand::park();
}

bool claim_end() noexcept {
  ult::Strand* first = nullptr;
  ult::Strand* const self = &ult::Strand::current();
  // relaxed: the strand that comes second looks at nothing of the first one's.
  return ended_by.get().compare_exchange_strong(first, self, std::memory_order_relaxed) ||
         first == self;
}

bool is_loading() noexcept {
  return loading_depth != 0;
}

// relaxed, in both: a thread that a constructor has made sees what was said before it was made.
int worker_that_loads() noexcept {
  std::atomic<int>& kept = kept_by_loading.get();
  if (is_loading() && ult::current() != nullptr) {
    kept.store(ult::worker_of(*ult::current()) + 1, std::memory_order_relaxed);
  }
  return kept.load(std::memory_order_relaxed) - 1;
}

void end_loading() noexcept {
  std::atomic<int>* const kept = --loading_depth == 0 ? kept_by_loading.find() : nullptr;
  if (kept == nullptr || ult::current() == nullptr) return;
  // The next strand that loads may have said its worker.
  int own = ult::worker_of(*ult::current()) + 1;
  kept->compare_exchange_strong(own, 0, std::memory_order_relaxed);
}

}  // namespace heddle::process
