// state.h — the phase of a rank in the World Model: before, between or after MPI_Init and
// MPI_Finalize (MPI 5.0 §11); and how its uses of the library, sessions included, begin and end
// (life/uses.h).
//
//   phase      meaning                               leaves by
//   ---------  ------------------------------------  ------------
//   kOutside   no MPI_COMM_WORLD yet                 initialize
//   kRunning   MPI_COMM_WORLD exists                 finalize
//   kFinal     MPI_COMM_WORLD is over                -
//
// Thread safety: phase() and the queries any strand of the rank; initialize and finalize once.

#pragma once

#include <atomic>

#include "base/error.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::runtime {

enum class Phase : int { kOutside, kRunning, kFinal };

struct State {
  std::atomic<Phase> phase{Phase::kOutside};
  // Lock: guards the beginning and the end of a rank's uses of the library.
  SpinLock lock;
  bool is_ending GUARDED_BY(lock) = false;  // the last use
  int thread_level = 0;                     // what Init_thread gave
  const void* main_strand = nullptr;        // the strand that called Init
};

extern RankLocal<State> state_of_rank;

// True between MPI_Init and MPI_Finalize of the calling rank, and while it has a session; the check
// on every MPI call.
[[gnu::always_inline]] inline bool mpi_is_running() noexcept {
  // acquire: a second thread of the rank sees what the first use made.
  const Rank* const rank = Rank::current();
  return rank != nullptr && rank->uses.load(std::memory_order_acquire) > 0;
}

// kOutside if the caller is no rank.
Phase phase() noexcept;

}  // namespace heddle::runtime
