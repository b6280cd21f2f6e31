#include "runtime/life/uses.h"

#include <utility>

#include "exec/rank/rank.h"
#include "exec/ult/strand.h"
#include "mpi/coll/coll.h"
#include "mpi/lifetime/collector.h"
#include "mpi/p2p/buffered.h"
#include "mpi/request/start.h"
#include "mpi/rma/make.h"
#include "runtime/carrier/singleton.h"
#include "runtime/crew/state.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

namespace {

RankLocal<comm::Predefined> ended_world;

enum class Begun { kNot, kFirst, kLater };

// kNot: the last use is about to end.
Begun try_begin(State& state) {
  SpinGuard guard(state.lock);
  if (state.is_ending) return Begun::kNot;
  // release: a second thread of the rank sees what the first use made; read by mpi_is_running().
  return Rank::current()->uses.fetch_add(1, std::memory_order_release) == 0 ? Begun::kFirst
                                                                            : Begun::kLater;
}

// True if it was the last one. Then it ends when finish() is called.
bool end_or_claim(State& state) {
  SpinGuard guard(state.lock);
  if (Rank::current()->uses.load(std::memory_order_relaxed) > 1) {
    Rank::current()->uses.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  state.is_ending = true;
  return true;
}

// Gives up a use that has begun and is refused.
void give_up(State& state) {
  SpinGuard guard(state.lock);
  Rank::current()->uses.fetch_sub(1, std::memory_order_relaxed);
}

void finish(State& state, int left) {
  SpinGuard guard(state.lock);
  Rank::current()->uses.store(left, std::memory_order_release);
  state.is_ending = false;
}

}  // namespace

Error begin_use() {
  if (Rank::current() == nullptr && !adopt_strand()) {
    if (Error e = start_singleton()) return e;
  }
  State& state = state_of_rank.get();
  Begun begun = Begun::kNot;
  while ((begun = try_begin(state)) == Begun::kNot) ult::relax();
  // It looks only now: the last use may be about to end, by another thread.
  if (has_left_process_job()) {
    give_up(state);
    return Error::make(MPI_ERR_OTHER,
                       "this process has parted from the other processes of the job, with which it "
                       "talks by a network, in MPI_Finalize; open a session before that, and keep "
                       "it open");
  }
  if (begun == Begun::kFirst) {
    const bool late = state.phase.load(std::memory_order_relaxed) == Phase::kFinal;
    job_board().begin_use(late ? JobBoard::Use::kLate : JobBoard::Use::kEarly);
  }
  return {};
}

namespace {
// Returns true if there was something to wait for: meanwhile this use goes on, and others may begin
// and end.
bool await_others(State& state) {
  if (!request::awaits_detached() && !p2p::awaits_buffered()) return false;
  finish(state, 1);
  request::await_detached();
  p2p::await_buffered();
  return true;
}
}  // namespace

Error end_use() {
  State& state = state_of_rank.get();
  do {
    if (!end_or_claim(state)) return {};
    if (Error e = coll::check_helpers_idle()) {
      finish(state, 1);
      return e;
    }
  } while (await_others(state));
  rma::end_windows();
  coll::end_helpers();
  request::end_detached();
  ended_world.get() = {};
  lifetime::collect();
  const Phase world = state.phase.load(std::memory_order_relaxed);
  if (world == Phase::kFinal) {
    leave_process_job();
  } else {
    rest_in_process_job();
  }
  job_board().end_use();
  finish(state, 0);
  return {};
}

void end_with_last_use(comm::Predefined ended) noexcept {
  ended_world.get() = std::move(ended);
}

}  // namespace heddle::runtime
