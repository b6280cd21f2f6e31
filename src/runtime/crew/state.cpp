#include "runtime/crew/state.h"

namespace heddle::runtime {

RankLocal<State> state_of_rank;

Phase phase() noexcept {
  if (Rank::current() == nullptr) return Phase::kOutside;
  // acquire: a second thread of the rank sees what MPI_Init made.
  return state_of_rank.get().phase.load(std::memory_order_acquire);
}

}  // namespace heddle::runtime
