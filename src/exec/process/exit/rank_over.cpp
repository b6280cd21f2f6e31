#include "exec/process/exit/rank_over.h"

#include <atomic>

#include "base/section_without_switch.h"
#include "exec/process/own/own.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {
using Act = void (*)() noexcept;
constinit Act last_act = nullptr;
}  // namespace

thread_local constinit int loading_depth = 0;

bool is_over() noexcept {
  if (Rank::current() == nullptr || ult::current() == nullptr || !may_switch_here()) return false;
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

bool is_loading() noexcept {
  return loading_depth != 0;
}

// relaxed, in both: a thread that a constructor has made sees what was said before it was made.
int worker_that_loads() noexcept {
  std::atomic<int>& kept = own().kept_by_loading;
  if (is_loading() && ult::current() != nullptr) {
    kept.store(ult::worker_of(*ult::current()) + 1, std::memory_order_relaxed);
  }
  return kept.load(std::memory_order_relaxed) - 1;
}

void end_loading() noexcept {
  Own* const rank = --loading_depth == 0 ? own_of_rank.find() : nullptr;
  if (rank == nullptr || ult::current() == nullptr) return;
  // The next strand that loads may have said its worker.
  int worker = ult::worker_of(*ult::current()) + 1;
  rank->kept_by_loading.compare_exchange_strong(worker, 0, std::memory_order_relaxed);
}

}  // namespace heddle::process
