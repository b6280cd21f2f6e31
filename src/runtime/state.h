// state.h — the phase of a rank: before, between or after MPI_Init and MPI_Finalize (MPI 5.0 §11).
//
//   phase      meaning                               leaves by
//   ---------  ------------------------------------  ------------
//   kOutside   no MPI yet                            initialize
//   kRunning   MPI_COMM_WORLD exists                 finalize
//   kFinal     MPI is over; only the queries remain  -
//
// Thread safety: phase() and the queries any strand of the rank; initialize and finalize once.

#pragma once

#include <atomic>

#include "base/error.h"
#include "exec/rank/rank.h"

namespace heddle::runtime {

enum class Phase : int { kOutside, kRunning, kFinal };

struct State {
  std::atomic<Phase> phase{Phase::kOutside};
  int thread_level = 0;               // what Init_thread gave
  const void* main_strand = nullptr;  // the strand that called Init
};

extern RankLocal<State> state_of_rank;

// True between MPI_Init and MPI_Finalize of the calling rank; the check on every MPI call.
[[gnu::always_inline]] inline bool mpi_is_running() noexcept {
  // acquire: a second thread of the rank sees what MPI_Init made.
  return Rank::current() != nullptr &&
         state_of_rank.get().phase.load(std::memory_order_acquire) == Phase::kRunning;
}

// kOutside if the caller is no rank (a program started directly that has not initialized).
Phase phase() noexcept;

}  // namespace heddle::runtime
