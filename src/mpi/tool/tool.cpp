#include "mpi/tool/tool.h"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "mpi/tool/state.h"

namespace heddle::tool {

const RankLocal<State> state_of_rank;

Key new_key() noexcept {
  constexpr Key kFirst = 0x10000;
  static std::atomic<Key> next{kFirst};
  return next.fetch_add(0x10, std::memory_order_relaxed);  // distinct is all that they must be
}

Error init_thread(int required, int* provided) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  state.opened.fetch_add(1, std::memory_order_relaxed);
  *provided = std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  return {};
}

Error finalize() {
  State& state = state_of_rank.get();
  decltype(state.controls) controls;
  decltype(state.sessions) sessions;  // destroyed without the lock
  SpinGuard guard(state.lock);
  if (state.opened.load(std::memory_order_relaxed) == 0) {
    return Error::make(MPI_T_ERR_NOT_INITIALIZED, "another thread has called MPI_T_finalize");
  }
  if (state.opened.fetch_sub(1, std::memory_order_relaxed) == 1) {
    controls = std::exchange(state.controls, {});
    sessions = std::exchange(state.sessions, {});
  }
  return {};
}

bool is_open() noexcept {
  // relaxed: it guards nothing; handles are looked up with the lock.
  return state_of_rank.get().opened.load(std::memory_order_relaxed) > 0;
}

}  // namespace heddle::tool
