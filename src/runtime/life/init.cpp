#include "runtime/life/init.h"

#include <algorithm>
#include <utility>

#include "exec/ult/strand.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/comm.h"
#include "mpi/lifetime/making.h"
#include "runtime/carrier/singleton.h"
#include "runtime/crew/members.h"
#include "runtime/crew/state.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/life/uses.h"

namespace heddle::runtime {

namespace {

object::Ref<comm::Comm> make_predefined(world::ContextId context, object::Ref<group::Group> group,
                                        int rank, const char* name) {
  const lifetime::Making making;
  auto made = object::Ref<comm::Comm>::adopt(new comm::Comm(context, std::move(group), {}, rank));
  made->set_name(name);
  return made;
}

// Sessions alone make other calls legal, but not these.
Error check_world() {
  if (phase_of_caller() == Phase::kRunning) return {};
  return Error::make(MPI_ERR_OTHER, phase_of_caller() == Phase::kFinal ? "called after MPI_Finalize"
                                                                       : "called before MPI_Init");
}

}  // namespace

Error initialize(int required, int* provided) {
  if (phase_of_caller() != Phase::kOutside) {
    return Error::make(MPI_ERR_OTHER, "MPI was already initialized; call MPI_Init once");
  }
  if (Error e = begin_use()) return e;
  State& state = state_of_rank.get();
  const WorldGroups& groups = world_groups();
  const int number = world::here().process->number;
  comm::set_predefined(
      {make_predefined(comm::kWorldContext, groups.world, number, "MPI_COMM_WORLD"),
       make_predefined(comm::kSelfContext, groups.self, 0, "MPI_COMM_SELF")});

  state.thread_level = std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  state.main_strand = &ult::Strand::current();
  state.phase.store(Phase::kRunning, std::memory_order_release);
  if (provided != nullptr) *provided = state.thread_level;
  const int status = job_board().begin_world();
  if (status != JobPage::kNone) abort_without("another rank", status, kUninitialized);
  return {};
}

Error finalize() {
  if (Error e = check_world()) return e;
  const comm::Predefined& predefined = comm::predefined();
  if (Error e = predefined.self->attributes().clear(*predefined.self)) return e;
  const bool is_last = Rank::current()->uses.load(std::memory_order_relaxed) == 1;
  if (is_last) {
    if (Error e = coll::check_helpers_idle()) return e;
  }
  if (job_board().begin_finalize()) abort_without("another rank", 0, kUnfinalized);
  if (Error e = coll::run(coll::Barrier{*predefined.world})) return e;
  state_of_rank.get().phase.store(Phase::kFinal, std::memory_order_release);
  end_with_last_use(comm::set_predefined({}));
  if (Error e = end_use()) return e;
  job_board().end_finalize(mpi_is_running());
  return {};
}

Error initialized(int* flag) {
  *flag = phase_of_caller() != Phase::kOutside;
  return {};
}

Error finalized(int* flag) {
  *flag = phase_of_caller() == Phase::kFinal;
  return {};
}

Error query_thread(int* provided) {
  if (Error e = check_world()) return e;
  *provided = state_of_rank.get().thread_level;
  return {};
}

Error is_thread_main(int* flag) {
  if (Error e = check_world()) return e;
  *flag = state_of_rank.get().main_strand == &ult::Strand::current();
  return {};
}

}  // namespace heddle::runtime
