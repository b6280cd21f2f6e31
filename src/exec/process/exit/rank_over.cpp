#include "exec/process/exit/rank_over.h"

#include <atomic>

#include "base/standing.h"
#include "exec/process/own/own.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {
using LastAct = void (*)() noexcept;
constinit LastAct last_act = nullptr;
}  // namespace

bool is_over() noexcept {
  if (Rank::current() == nullptr || !may(Act::kPark)) return false;
  const Own* const rank = own_of_rank.find();
  // relaxed: a strand that is late waits once more.
  const ult::Strand* const last =
      rank != nullptr ? rank->ended_by.load(std::memory_order_relaxed) : nullptr;
  return last != nullptr && last != &ult::Strand::current();
}

bool ends_rank() noexcept {
  // relaxed: only ever set, by a strand that the caller is or descends from.
  return own().ended_by.load(std::memory_order_relaxed) != nullptr && !is_over();
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
  return own().ended_by.compare_exchange_strong(first, self, std::memory_order_relaxed) ||
         first == self;
}

// relaxed, in both: a thread that a constructor has made sees what was said before it was made.
int worker_that_loads() noexcept {
  std::atomic<int>& kept = own().kept_by_loading;
  if (Standing::is_in(Standing::kLoading) && ult::current() != nullptr) {
    kept.store(ult::worker_of(*ult::current()) + 1, std::memory_order_relaxed);
  }
  return kept.load(std::memory_order_relaxed) - 1;
}

void end_loading() noexcept {
  Standing::leave(Standing::kLoading);
  if (Standing::is_in(Standing::kLoading)) return;
  Own* const rank = own_of_rank.find();
  if (rank == nullptr || ult::current() == nullptr) return;
  // The next strand that loads may have said its worker.
  int worker = ult::worker_of(*ult::current()) + 1;
  rank->kept_by_loading.compare_exchange_strong(worker, 0, std::memory_order_relaxed);
}

}  // namespace heddle::process
