#include "runtime/deadlock.h"

#include <algorithm>
#include <string>

#include "base/platform/foreign.h"
#include "base/spin_lock.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/stillness.h"
#include "runtime/abort.h"

namespace heddle::runtime {

namespace {

// Lock: guards the main strands of ranks, null where one has ended.
constinit SpinLock lock;
auto& ranks_watched =
    *new std::vector<ult::Ult*>;  // never destroyed: the monitor outlives static destructors

std::string report_of(const std::vector<ult::Ult*>& ranks) {
  constexpr std::size_t kMostLines = 64;
  std::string text =
      "all ranks of the job wait for each other (deadlock; communicator 1 is MPI_COMM_WORLD):";
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostLines); ++i) {
    text += "\n  rank " + std::to_string(i);
    if (const ult::WaitNote* note = ranks[i] != nullptr ? ult::note_of(*ranks[i]) : nullptr) {
      text += std::string(" in ") + note->call + " waits for " + note->what(note->subject);
    } else {
      text += " has ended";
    }
  }
  if (ranks.size() > kMostLines) {
    text += "\n  and " + std::to_string(ranks.size() - kMostLines) + " more ranks";
  }
  return text;
}

int ranks_that_wait() noexcept {
  SpinGuard guard(lock);
  return static_cast<int>(std::ranges::count_if(ranks_watched, [](const ult::Ult* rank) {
    return rank != nullptr && ult::note_of(*rank) != nullptr;
  }));
}

// On the call monitor's thread. Takes no memory before the proof is complete.
void judge() noexcept {
  const ult::Stillness before;
  const int waiting = ranks_that_wait();
  if (waiting == 0 || waiting != before.ults()) return;  // P3
  if (platform::has_foreign_threads()) return;           // P4
  if (signals::any_action_set.load(std::memory_order_relaxed) || platform::has_foreign_handlers())
    return;                                // P5
  if (!before.holds()) return;             // P2
  abort_job(1, report_of(ranks_watched));  // without the lock: nothing runs that could change it
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
