#include "exec/rank/rank.h"

namespace heddle {

namespace {
// Function-local statics: a RankLocal of another file may reserve before this file's statics run.
struct RankLocalSlots {
  std::size_t count = 0;
  std::array<void (*)(void*), Rank::kSlots> destroy{};
};
RankLocalSlots& slots() noexcept {
  static RankLocalSlots instance;
  return instance;
}
}  // namespace

thread_local constinit Rank* Rank::current_ = nullptr;
thread_local constinit int Rank::current_thread = 0;

std::size_t reserve_rank_slot(void (*destroy)(void*)) noexcept {
  assert(slots().count < Rank::kSlots);
  slots().destroy[slots().count] = destroy;
  return slots().count++;
}

Rank::~Rank() {
  for (std::size_t i = slots().count; i-- > 0;) {
    // relaxed: the rank's strands have all ended. A signal handler must not find a destroyed value.
    void* value = slots_[i].value.exchange(nullptr, std::memory_order_relaxed);
    if (value != nullptr) slots().destroy[i](value);
  }
  if (current_ == this) current_ = nullptr;
}

}  // namespace heddle
