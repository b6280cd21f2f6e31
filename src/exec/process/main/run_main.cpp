#include "exec/process/main/run_main.h"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/fork.h"
#include "base/standing.h"
#include "exec/process/children/children.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/libc.h"
#include "exec/process/files/directory.h"
#include "exec/process/files/file_locks.h"
#include "exec/process/main/host_hooks.h"
#include "exec/process/own/own.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/streams/streams.h"
#include "exec/process/time/processor_time.h"
#include "exec/process/time/zone.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

std::string_view name_of(std::string_view variable) noexcept {
  return variable.substr(0, variable.find('='));
}

// libc unwinds a main strand that is cancelled down to here.
int call_main(const Program& program, char** variables) {
  int status = 0;
  pthread_cleanup_push(end_canceled_main, nullptr);
  errno = 0;  // as C says of a program's start; loading it has left something else
  status = program.main(program.argc, program.argv, variables);
  pthread_cleanup_pop(0);
  return status;
}

// The process's environment with `added` over it.
void make_environment(RankState& state, char* const* added) {
  std::vector<std::string>& variables = state.variables;
  variables = process_variables();
  for (char* const* v = added; v != nullptr && *v != nullptr; ++v) {
    bool replaced = false;
    for (std::string& variable : variables) {
      if (name_of(variable) != name_of(*v)) continue;
      variable = *v;
      replaced = true;
      break;
    }
    if (!replaced) variables.emplace_back(*v);
  }
  for (std::string& variable : variables) state.environment.push_back(variable.data());
  state.environment.push_back(nullptr);
  state.shown.environment = state.environment.data();
}

}  // namespace

Error begin_rank(const RankSetup& setup) {
  auto state = std::make_unique<RankState>(*Rank::current());
  state->shown.number = Rank::current()->number();
  state->has_input = setup.has_input;
  state->ranks = setup.ranks;
  if (!open_streams(*state)) {
    return Error::make(MPI_ERR_NO_MEM, "no memory is left for the standard streams of rank %d",
                       Rank::current()->number());
  }
  make_environment(*state, setup.environment);
  state->shown.cores = std::max(1, ult::worker_count() / setup.ranks_here);
  state->shown.program = setup.program;
  state->shown.argc = setup.argc;
  state->shown.argv = setup.argv;
  state->shown.libc = &libc();
  Directory& directory = own().directory.get();
  if (setup.working_directory != nullptr && directory.start_in(setup.working_directory) != 0) {
    return Error::make(MPI_ERR_OTHER, "the working directory %s cannot be entered: %s",
                       setup.working_directory, std::strerror(errno));
  }
  enter_directory(directory);
  begin_processor_time(state.get());
  host_state(std::move(state));
  Standing::enter(Standing::kLoading);
  return {};
}

Error check_library() {
  if (!hosted_state()->has_foreign_library) return {};
  return Error::make(MPI_ERR_OTHER,
                     "the program finds the libheddle_libc.so of another build of Heddle than this "
                     "mpiexec's; link it again with the mpicc beside this mpiexec");
}

Result run_main(const Program& program) {
  RankState& state = *hosted_state();
  state.main_strand = &ult::Strand::current();
  end_loading();
  if (state.image != nullptr) state.image->start();
  if (_setjmp(state.frame) == 0) {
    char** variables =
        state.image != nullptr ? *state.image->environment : state.environment.data();
    const int status = call_main(program, variables);
    if (state.image != nullptr) state.image->finish(status);
    if (is_child()) _exit(status);
    if (!claim_end()) stand_still();
    state.result = {status & 0xff, Ending::kReturned};
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);  // call_main's frame is gone
  RankState* const ended = hosted_state();
  // It was a hosted rank above; gcc warns of what would become of null.
  if (ended == nullptr) __builtin_unreachable();
  ended->close_to_outside();
  Standing::enter(Standing::kLoading);
  return ended->result;
}

void exit_current_rank(int status) {
  RankState& state = *hosted_state();
  if (state.image != nullptr) state.image->finish(status);
  if (is_child()) ::_exit(status);
  leave(HEDDLE_ENDED_EXIT, status);
  __builtin_unreachable();
}

void adopt_thread() noexcept {
  Standing::clear(Standing::kLoading);  // the last thread here may have left from a constructor
  RankState* const state = hosted_state();
  begin_processor_time(state);
  if (state == nullptr) return;
  if (ult::current() != nullptr) {
    enter_directory(own().directory.get());
  } else {
    separate_thread_directory(own().directory.get());
  }
}

void leave_thread() noexcept {
  end_processor_time();
}

void end_rank(bool goes_on) noexcept {
  Standing::clear(Standing::kLoading);
  end_processor_time();
  // The image keeps pointers to the hooks and the streams. To close a stream, libc would look for
  // it among those of all ranks.
  RankState* const state = own().hosted.exchange(nullptr, std::memory_order_relaxed);
  state->output.flush();
  state->errors.flush();
  state->silent.store(true, std::memory_order_relaxed);
  unlock_all_of(*state);
  if (!goes_on) {
    for (int i = 0; i < 3; ++i) state->standard[i].redirect_to_shared(i);
    close_descriptors_of(*state);
  }
}

}  // namespace heddle::process
