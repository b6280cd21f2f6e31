#include "runtime/state.h"

#include "runtime/singleton.h"

namespace heddle::runtime {

RankLocal<State> state_of_rank;

Phase phase() noexcept {
  if (Rank::current() == nullptr && !adopt_strand()) return Phase::kOutside;
  // acquire: a second thread of the rank sees what MPI_Init made.
  return state_of_rank.get().phase.load(std::memory_order_acquire);
}

}  // namespace heddle::runtime
