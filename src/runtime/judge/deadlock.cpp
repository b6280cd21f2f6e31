#include "runtime/judge/deadlock.h"

#include <algorithm>
#include <string>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "exec/process/children/cloned_tasks.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/stillness.h"
#include "mpi/io/pool.h"
#include "runtime/crew/hosts.h"
#include "runtime/crew/main_strands.h"
#include "runtime/job_board/abort.h"
#include "runtime/judge/deadlock_between.h"
#include "runtime/judge/deadlock_over_hosts.h"
#include "runtime/judge/deadlock_report.h"

namespace heddle::runtime {

namespace {

// Constant while there is a judge.
auto& numbers_of_ranks = *new std::vector<int>;
Hosts* all_hosts = nullptr;
StillHosts* other_hosts = nullptr;
Witness* witness = nullptr;

std::string own_lines() {
  return lines_of_deadlock(main_strands_at_rest(), numbers_of_ranks, *all_hosts);
}

// False: no rank waits, or packets wait to be sent. None is forgotten meanwhile, since the gateways
// go when the ranks have been forgotten.
bool only_waits(transport::Traffic* traffic) noexcept {
  bool waits = false;
  with_main_strands([&](const std::vector<ult::Ult*>& mains) {
    const bool any = std::ranges::any_of(mains, [](const ult::Ult* main) {
      return main != nullptr && ult::note_of(*main) != nullptr;
    });
    waits = any && all_hosts->all_sent(traffic);
  });
  return waits;
}

// Runs on the call monitor's thread. Takes no memory before the proof is complete. Returns when it
// must look again.
std::int64_t judge() noexcept {
  StillWord word{.round = witness->question().load(std::memory_order_seq_cst), .traffic = {}};
  const ult::Stillness before;
  word.rings = ult::rings_before_sleep();
  const ult::NotedCounts noted = ult::count_noted();
  word.steps = noted.steps;
  word.answered = noted.answered;
  // On a crowded machine it takes a thread seconds to go to sleep.
  constexpr std::int64_t kLater = 1'000'000'000;
  if (before.waits_for_kernel_thread()) return platform::now_ns() + kLater;
  if (!only_waits(&word.traffic) || noted.all != before.ults()) return platform::kNever;  // P1, P3
  if (platform::has_foreign_threads() || process::has_cloned_tasks() || io::pool_is_busy())
    return platform::kNever;  // P4
  if (process::signals::any_timer_armed.load(std::memory_order_relaxed) ||
      platform::has_foreign_handlers() ||
      (noted.for_threads != 0 && process::signals::any_handler_set.load(std::memory_order_relaxed)))
    return platform::kNever;  // P5
  // P4, which takes longest. What such a process has done before its end is seen by the second
  // look.
  if (platform::shares_memory()) return platform::kNever;
  if (!before.holds() || ult::rings_before_sleep() != word.rings)
    return platform::now_ns() + kLater;  // P2
  // Takes no lock: at most a wait that asks runs, and it does not end, so none changes the list.
  std::string lines;
  if (witness->judge(word, own_lines, &lines)) abort_job(1, kDeadlock + lines);
  return witness->next_look_ns();
}

}  // namespace

Listener* listen_for_deadlock(const Way& way) {
  if (!way.has_network() || way.processes() == 1) return nullptr;
  other_hosts = new StillHosts(way.process(), way.processes());  // the watch's thread stays
  return other_hosts;
}

void watch_for_deadlock(const std::vector<int>& numbers, Hosts& hosts, Way& way) {
  numbers_of_ranks = numbers;
  all_hosts = &hosts;
  witness = other_hosts;
  if (witness == nullptr) witness = new BoardWitness(way, job_board());
  ult::set_question(witness->question());
  ult::set_stillness_judge(judge);
}

}  // namespace heddle::runtime
