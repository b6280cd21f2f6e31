#include "runtime/deadlock.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/spin_lock.h"
#include "exec/process/children/cloned_tasks.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/stillness.h"
#include "runtime/abort.h"
#include "runtime/deadlock_between.h"
#include "runtime/deadlock_over_hosts.h"
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
StillHosts* other_hosts = nullptr;
// The question of a process that is alone; `question` is the one that waits that ask look at.
constinit std::atomic<std::uint64_t> own_question{0};
OwnRound own_round(own_question);
const std::atomic<std::uint64_t>* question = &own_question;

std::string own_lines() {
  return lines_of_deadlock(ranks_watched, numbers_of_ranks, *all_hosts);
}

// False: no rank waits, or packets wait to be sent. With the lock, since the gateways go when the
// ranks have been forgotten.
bool only_waits(transport::Traffic* traffic) noexcept {
  SpinGuard guard(lock);
  const bool any = std::ranges::any_of(ranks_watched, [](const ult::Ult* rank) {
    return rank != nullptr && ult::note_of(*rank) != nullptr;
  });
  return any && all_hosts->all_sent(traffic);
}

// P1 and P6, where P2 to P5 hold.
bool is_proven(std::uint64_t rings, const StillWord& word, std::string* lines) {
  if (other_processes != nullptr) return other_processes->judge(rings, word, own_lines, lines);
  if (other_hosts != nullptr) return other_hosts->judge(word, own_lines, lines);
  if (word.traffic.given != word.traffic.handled) return false;  // between hosts that are pretended
  if (!own_round.is_proven(word.steps, word.answered)) return false;
  *lines = own_lines();
  return true;
}

// Runs on the call monitor's thread. Takes no memory before the proof is complete. Returns when it
// must look again.
std::int64_t judge() noexcept {
  StillWord word{.round = question->load(std::memory_order_seq_cst), .traffic = {}};
  const ult::Stillness before;
  const std::uint64_t rings = ult::rings_before_sleep();
  const ult::NotedCounts noted = ult::count_noted();
  word.steps = noted.steps;
  word.answered = noted.answered;
  // On a crowded machine it takes a thread seconds to go to sleep.
  constexpr std::int64_t kLater = 1'000'000'000;
  if (before.waits_for_kernel_thread()) return platform::now_ns() + kLater;
  if (!only_waits(&word.traffic) || noted.all != before.ults()) return platform::kNever;  // P1, P3
  if (platform::has_foreign_threads() || process::has_cloned_tasks())
    return platform::kNever;  // P4
  if (process::signals::any_timer_armed.load(std::memory_order_relaxed) ||
      platform::has_foreign_handlers() ||
      (noted.for_threads != 0 && process::signals::any_handler_set.load(std::memory_order_relaxed)))
    return platform::kNever;  // P5
  // P4, which takes longest. What such a process has done before its end is seen by the second
  // look.
  if (platform::shares_memory()) return platform::kNever;
  if (!before.holds() || ult::rings_before_sleep() != rings)
    return platform::now_ns() + kLater;  // P2
  // Takes no lock: at most a wait that asks runs, and it does not end, so none changes the list.
  std::string lines;
  if (is_proven(rings, word, &lines)) abort_job(1, kDeadlock + lines);
  return other_hosts != nullptr ? other_hosts->next_look_ns() : platform::kNever;
}

}  // namespace

void watch_ranks(const std::vector<ult::Ult*>& mains) {
  SpinGuard guard(lock);
  ranks_watched = mains;
}

void with_watched_ranks(const std::function<void(const std::vector<ult::Ult*>&)>& use) {
  SpinGuard guard(lock);
  use(ranks_watched);
}

void watch_for_deadlock(const std::vector<int>& numbers, Hosts& hosts) {
  numbers_of_ranks = numbers;
  all_hosts = &hosts;
  other_hosts = hosts.still_hosts();
  if (hosts.node_memory() != nullptr && job_page() != nullptr) {
    other_processes = new StillProcesses(*hosts.node_memory(), *job_page(), own_process());
    question = &job_page()->question;
  } else if (other_hosts != nullptr) {
    question = &other_hosts->asked();
  }
  ult::set_question(*question);
  ult::set_stillness_judge(judge);
}

void forget_all_ranks() noexcept {
  SpinGuard guard(lock);
  std::ranges::fill(ranks_watched, nullptr);
}

void forget_rank(const ult::Ult* rank) noexcept {
  SpinGuard guard(lock);
  std::ranges::replace(ranks_watched, const_cast<ult::Ult*>(rank), nullptr);
}

}  // namespace heddle::runtime
