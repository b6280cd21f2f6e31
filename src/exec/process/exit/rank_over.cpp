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

}  // namespace heddle::process
