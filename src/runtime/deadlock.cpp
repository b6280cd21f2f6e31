#include "runtime/deadlock.h"

#include <algorithm>
#include <string>

#include "base/platform/foreign.h"
#include "base/spin_lock.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/stillness.h"
#include "runtime/abort.h"
#include "runtime/deadlock_between.h"
#include "runtime/deadlock_report.h"
#include "runtime/hosts.h"
#include "runtime/process_rank.h"

namespace heddle::runtime {

namespace {

// Lock: guards the main strands of ranks, null where one has ended.
constinit SpinLock lock;
// Never destroyed: the monitor outlives static destructors.
auto& ranks_watched = *new std::vector<ult::Ult*>;
// Constant while there is a judge.
auto& numbers_of_ranks = *new std::vector<int>;
Hosts* all_hosts = nullptr;
StillProcesses* other_processes = nullptr;

std::string own_lines() {
  return lines_of_deadlock(ranks_watched, numbers_of_ranks, *all_hosts);
}

bool any_rank_waits() noexcept {
  SpinGuard guard(lock);
  return std::ranges::any_of(ranks_watched, [](const ult::Ult* rank) {
    return rank != nullptr && ult::note_of(*rank) != nullptr;
  });
}

// On the call monitor's thread. Takes no memory before the proof is complete.
void judge() noexcept {
  const ult::Stillness before;
  const std::uint64_t rings = ult::rings_before_sleep();
  const ult::NotedCounts noted = ult::count_noted();
  if (!any_rank_waits() || noted.all != before.ults()) return;  // P3
  if (platform::has_foreign_threads()) return;                  // P4
  if (signals::any_timer_armed.load(std::memory_order_relaxed) ||
      platform::has_foreign_handlers() ||
      (noted.for_threads != 0 && signals::any_handler_set.load(std::memory_order_relaxed)))
    return;                                                           // P5
  if (!before.holds() || ult::rings_before_sleep() != rings) return;  // P2
  // Without the lock: nothing runs that could change the list.
  std::string lines;
  if (other_processes == nullptr) {
    lines = own_lines();
  } else if (!other_processes->judge(rings, own_lines, &lines)) {
    return;  // P1
  }
  abort_job(1, kDeadlock + lines);
}

}  // namespace

void watch_for_deadlock(const std::vector<ult::Ult*>& mains, const std::vector<int>& numbers,
                        Hosts& hosts) {
  {
    SpinGuard guard(lock);
    ranks_watched = mains;
  }
  numbers_of_ranks = numbers;
  all_hosts = &hosts;
  if (hosts.node_memory() != nullptr && job_page() != nullptr) {
    other_processes = new StillProcesses(*hosts.node_memory(), *job_page(), own_process());
  }
  ult::set_stillness_judge(judge);
}

void forget_rank(const ult::Ult* rank) noexcept {
  SpinGuard guard(lock);
  std::ranges::replace(ranks_watched, const_cast<ult::Ult*>(rank), nullptr);
}

}  // namespace heddle::runtime
