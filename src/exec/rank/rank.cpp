#include "exec/rank/rank.h"

namespace heddle {

namespace {
// Function-local statics: a RankLocal of another file may reserve before this file's statics run.
struct Reserved {
  std::size_t index = 0;
  void (*destroy)(void*) = nullptr;
};
struct RankLocalSlots {
  std::size_t count = 0;
  std::size_t next = static_cast<std::size_t>(Place::kNext);
  std::array<Reserved, Rank::kSlots> in_order{};
};
RankLocalSlots& slots() noexcept {
  static RankLocalSlots instance;
  return instance;
}
}  // namespace

thread_local constinit int Rank::current_thread = 0;

std::size_t reserve_rank_slot(Place place, void (*destroy)(void*)) noexcept {
  const std::size_t index =
      place == Place::kNext ? slots().next++ : static_cast<std::size_t>(place);
  assert(index < Rank::kSlots);
  slots().in_order[slots().count++] = {index, destroy};
  return index;
}

Rank::~Rank() {
  for (std::size_t i = slots().count; i-- > 0;) {
    const Reserved& reserved = slots().in_order[i];
    // relaxed: the rank's strands have all ended. A signal handler must not find a destroyed value.
    void* value = slots_[reserved.index].value.exchange(nullptr, std::memory_order_relaxed);
    if (value != nullptr) reserved.destroy(value);
  }
  if (current() == this) enter(nullptr);
}

}  // namespace heddle
