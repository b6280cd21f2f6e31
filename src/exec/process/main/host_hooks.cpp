#include "exec/process/main/host_hooks.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/fork.h"
#include "base/mutex.h"
#include "exec/process/children/children.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/descriptors/descriptors.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/files/directory.h"
#include "exec/process/files/file_locks.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/hook_depth.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/time/processor_time.h"
#include "exec/process/time/zone.h"
#include "exec/ult/ult.h"

namespace heddle::libc {

namespace {

constinit PluginLoader plugin_loader;
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
  std::fflush(state.hooks.streams[1]);
  state.output.flush();
  state.errors.flush();
  ender(state.result.status);
  __builtin_unreachable();
}

void leave(heddle_libc_ending ending, int status) {
  if (!claim_end()) stand_still();
  RankState& state = *hosted_state();
  state.result = {status & 0xff, ending == HEDDLE_ENDED_RETURNED ? Ending::kReturned
                                 : ending == HEDDLE_ENDED_EXIT   ? Ending::kExit
                                 : ending == HEDDLE_ENDED_QUICK  ? Ending::kQuickExit
                                                                 : Ending::kImmediate};
  // In a constructor or destructor of the program or of a plugin: with locks of the loader, perhaps, which all ranks
  // need.
  if (loading_depth != 0) end_job(state, rank_ender.outside_main);
  // Other ranks may still write to what the interrupted call has on the stack.
  if (Rank::current_call == Rank::kHandlerInsideMpi) end_job(state, rank_ender.inside_mpi);
  if (&ult::Strand::current() != state.main_strand) end_from_thread(state);
  _longjmp(state.frame, 1);
}

// Reads if there is something to read; false: not yet. One thread at a time looks and reads, since two
// that were both told of the same input would not both find it, and one would block its worker.
bool try_to_read(void* bytes, std::size_t size, ssize_t* result) {
  const InHook until_the_end;
  // Lock: guards reads of the standard input, one at a time, so that a rank reads only what is there; held across
  // `poll` and `read(2)` that do not wait; never a switch.
  static Mutex turn;
  int cancelled = 0;
  // To be cancelled here would leave the mutex locked.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  turn.lock();
  pollfd ready = {STDIN_FILENO, POLLIN, 0};
  const bool is_ready = poll(&ready, 1, 0) != 0;
  if (is_ready) *result = read(STDIN_FILENO, bytes, size);
  turn.unlock();
  pthread_setcancelstate(cancelled, nullptr);
  return is_ready;
}

// Waits for standard input without keeping the other ranks of this worker from running.
ssize_t read_when_ready(void* bytes, std::size_t size) {
  Pauses pauses;
  ssize_t result = 0;
  while (!try_to_read(bytes, size, &result)) {
    const Slept slept = pauses.pause();
    if (slept == Slept::kHandled) {
      errno = EINTR;
      return -1;
    }
    if (slept == Slept::kNot) {  // a kernel thread, or one that may not switch
      pollfd ready = {STDIN_FILENO, POLLIN, 0};
      poll(&ready, 1, -1);
    }
  }
  return result;
}

ssize_t read_input(int, void* bytes, std::size_t size) {
  RankState* state = hosted_state();
  if (state == nullptr) return 0;
  if (is_child()) return read(STDIN_FILENO, bytes, size);
  const int own = state->standard[0].own();
  if (own >= 0) return read(own, bytes, size);
  if (state->standard[0].is_closed()) {
    errno = EBADF;
    return -1;
  }
  if (!state->has_input) return 0;
  // The rank may have printed a question and now reads the answer.
  state->output.flush();
  return read_when_ready(bytes, size);
}

ssize_t write_output(int descriptor, const void* bytes, std::size_t size) {
  const InHook until_the_end;
  // No rank any more: an image that was kept after _exit is unloaded with the process.
  RankState* state = hosted_state();
  return state == nullptr ? static_cast<ssize_t>(size) : state->write(descriptor, bytes, size);
}

// For as long as a plugin's constructors or destructors may run.
class Loading {
 public:
  Loading() noexcept { ++loading_depth; }
  ~Loading() { --loading_depth; }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
};

void* open_plugin(const char* path, int mode, void* caller) {
  Loading loading;
  return plugin_loader.open(path, mode, caller);
}

int close_plugin(void* handle) {
  Loading loading;
  return plugin_loader.close(handle);
}

}  // namespace

void set_plugin_loader(const PluginLoader& loader) noexcept {
  plugin_loader = loader;
}

void set_rank_ender(const RankEnder& ender) noexcept {
  rank_ender = ender;
}

void end_canceled_main(void*) {
  rank_ender.main_canceled();
}

heddle_libc_hooks make_hooks(int rank) noexcept {
  heddle_libc_hooks hooks{};
  hooks.rank = rank;
  hooks.host_process = host_process();
  hooks.leave = leave;
  hooks.stand_still = stand_still;
  hooks.read = read_input;
  hooks.write = write_output;
  hooks.redirect = redirect;
  hooks.descriptor = process_descriptor;
  hooks.close_standard = close_standard;
  hooks.place = place_descriptor;
  hooks.sleep_until = [](long long deadline_ns) {
    return static_cast<int>(sleep_until(deadline_ns));
  };
  hooks.processor_time = [](int of_strand) -> long long {
    return of_strand != 0 ? processor_time_of_strand() : processor_time_of_rank();
  };
  hooks.chdir = [](const char* path) { return Directory::of_caller().change(path); };
  hooks.fchdir = [](int directory) { return Directory::of_caller().change(directory); };
  hooks.umask = [](mode_t mask) { return Directory::of_caller().set_mask(mask); };
  hooks.in_zone = in_zone;
  hooks.lock_file = lock_file;
  hooks.descriptors = make_descriptor_hooks();
  hooks.spawn = spawn;
  hooks.prepare_exec = prepare_exec;
  hooks.undo_exec = undo_exec;
  hooks.become_child = heddle::become_child;
  hooks.dlopen = plugin_loader.open != nullptr ? open_plugin : nullptr;
  hooks.dlclose = plugin_loader.close != nullptr ? close_plugin : nullptr;
  return hooks;
}

}  // namespace heddle::libc

extern "C" const heddle_libc_hooks* heddle_libc_attach(const heddle_libc_image* image) {
  using namespace heddle;
  libc::RankState* state = libc::hosted_state();
  if (state == nullptr) return nullptr;
  if (image->size != sizeof *image || image->hooks_size != sizeof(heddle_libc_hooks)) {
    state->has_foreign_library = true;
    return nullptr;
  }
  state->image = image;
  return &state->hooks;
}
