#include "exec/process/main/host_hooks.h"

#include <atomic>
#include <cstdio>

#include "base/fork.h"
#include "base/standing.h"
#include "exec/process/children/children.h"
#include "exec/process/children/cloned_tasks.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/descriptors/descriptors.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/libc.h"
#include "exec/process/files/directory.h"
#include "exec/process/files/file_locks.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/own/own.h"
#include "exec/process/program/plugins.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/streams/input.h"
#include "exec/process/time/processor_time.h"
#include "exec/process/time/zone.h"
#include "exec/process/waits/descriptor_waits.h"
#include "exec/ult/due_turn.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

RankEnder rank_ender;

// The main strand is somewhere else and stays there; the image stays loaded.
[[noreturn]] void end_from_thread(RankState& state) {
  state.output.flush();
  state.errors.flush();
  state.silent.store(true, std::memory_order_relaxed);
  rank_ender.from_thread(state.result.status);
  stand_still();
}

// The strand cannot go back to its main, so the whole job ends.
[[noreturn]] void end_job(RankState& state, void (*ender)(int)) {
  std::fflush(state.shown.streams[1]);
  state.output.flush();
  state.errors.flush();
  ender(state.result.status);
  __builtin_unreachable();
}

}  // namespace

void set_rank_ender(const RankEnder& ender) noexcept {
  rank_ender = ender;
}

void end_canceled_main(void*) {
  rank_ender.main_canceled();
}

void leave(heddle_libc_ending ending, int status) {
  if (!claim_end()) stand_still();
  RankState& state = *hosted_state();
  state.result = {status & 0xff, ending == HEDDLE_ENDED_RETURNED ? Ending::kReturned
                                 : ending == HEDDLE_ENDED_EXIT   ? Ending::kExit
                                 : ending == HEDDLE_ENDED_QUICK  ? Ending::kQuickExit
                                                                 : Ending::kImmediate};
  // In a constructor or destructor of the program or of a plugin: with locks of the loader,
  // perhaps, which all ranks need.
  if (Standing::is_in(Standing::kLoading)) end_job(state, rank_ender.outside_main);
  // Other ranks may still write to what the interrupted call has on the stack.
  if (Standing::mine.call == Standing::kHandlerInsideMpi) end_job(state, rank_ender.inside_mpi);
  if (&ult::Strand::current() != state.main_strand) end_from_thread(state);
  _longjmp(state.frame, 1);
}

namespace {

// Each subject's hooks, for all ranks.
const heddle_libc_hooks& hooks() noexcept {
  static const heddle_libc_hooks all = {
      .exit = {leave, stand_still},
      .program = program_hooks(),
      .sleep = {[](long long deadline_ns) { return sleep_until(deadline_ns); }},
      .waits = {
          handlers_run, []() { return shares_worker() ? 1 : 0; },
          [](const pollfd* wanted, nfds_t count, long long deadline_ns) {
            return wait_for_descriptors(wanted, count, deadline_ns);
          },
          call_libc,
          [](const sigset_t* mask, sigset_t* before) { return swap_mask(*mask, before) ? 1 : 0; },
          [](const void* caller) {
            if (ult::turn_is_due()) ult::take_due_turn(reinterpret_cast<std::uintptr_t>(caller));
          },
          run_pending_handlers},
      .time = {[](int of_strand) -> long long {
                 return of_strand != 0 ? processor_time_of_strand() : processor_time_of_rank();
               },
               in_zone},
      .files = {[](const char* path) { return own().directory.get().change(path); },
                [](int directory) { return own().directory.get().change(directory); },
                [](mode_t mask) { return own().directory.get().set_mask(mask); }, lock_file},
      .descriptors = descriptor_hooks(),
      .streams = {read_input, write_output},
      .children = {host_process(), spawn, prepare_exec, undo_exec, clone_task, go_to_tracer,
                   heddle::become_child},
  };
  return all;
}

}  // namespace

}  // namespace heddle::process

extern "C" const heddle_libc_hooks* heddle_libc_attach(const heddle_libc_image* image,
                                                       const heddle_libc_rank** rank) {
  using namespace heddle;
  process::RankState* state = process::hosted_state();
  if (state == nullptr) return nullptr;
  if (image->size != sizeof *image || image->hooks_size != sizeof(heddle_libc_hooks) ||
      image->rank_size != sizeof(heddle_libc_rank) ||
      image->libc_size != sizeof(heddle_libc_functions)) {
    state->has_foreign_library = true;
    return nullptr;
  }
  state->image = image;
  *rank = &state->shown;
  return &process::hooks();
}
