#include "runtime/deadlock.h"

#include <algorithm>

#include "base/platform/foreign.h"
#include "base/spin_lock.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/stillness.h"
#include "runtime/abort.h"
#include "runtime/deadlock_report.h"

namespace heddle::runtime {

namespace {

// Lock: guards the main strands of ranks, null where one has ended.
constinit SpinLock lock;
auto& ranks_watched =
    *new std::vector<ult::Ult*>;  // never destroyed: the monitor outlives static destructors

bool any_rank_waits() noexcept {
  SpinGuard guard(lock);
  return std::ranges::any_of(ranks_watched, [](const ult::Ult* rank) {
    return rank != nullptr && ult::note_of(*rank) != nullptr;
  });
}

// On the call monitor's thread. Takes no memory before the proof is complete.
void judge() noexcept {
  const ult::Stillness before;
  const ult::NotedCounts noted = ult::count_noted();
  if (!any_rank_waits() || noted.all != before.ults()) return;  // P3
  if (platform::has_foreign_threads()) return;                  // P4
  if (signals::any_timer_armed.load(std::memory_order_relaxed) ||
      platform::has_foreign_handlers() ||
      (noted.for_threads != 0 && signals::any_handler_set.load(std::memory_order_relaxed)))
    return;                     // P5
  if (!before.holds()) return;  // P2
  abort_job(
      1,
      report_of_deadlock(ranks_watched));  // without the lock: nothing runs that could change it
}

}  // namespace

void watch_for_deadlock(const std::vector<ult::Ult*>& ranks) {
  {
    SpinGuard guard(lock);
    ranks_watched = ranks;
  }
  ult::set_stillness_judge(judge);
}

void forget_rank(const ult::Ult* rank) noexcept {
  SpinGuard guard(lock);
  std::ranges::replace(ranks_watched, const_cast<ult::Ult*>(rank), nullptr);
}

}  // namespace heddle::runtime
