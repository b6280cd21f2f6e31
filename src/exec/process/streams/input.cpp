#include "exec/process/streams/input.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/standing.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

// Reads if there is something to read; false: not yet. One thread at a time looks and reads, since
// two that were both told of the same input would not both find it, and one would block its worker.
bool try_to_read(void* bytes, std::size_t size, ssize_t* result) {
  const Within<Standing::kHook> hook;
  // Lock: guards reads of the standard input, one at a time, so that a rank reads only what is
  // there; held across `poll` and `read(2)` that do not wait; never a switch.
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
    const WaitEnd slept = pauses.pause();
    if (slept == WaitEnd::kHandled) {
      errno = EINTR;
      return -1;
    }
    if (slept == WaitEnd::kNot) {  // a kernel thread, or one that may not switch
      pollfd ready = {STDIN_FILENO, POLLIN, 0};
      poll(&ready, 1, -1);
    }
  }
  return result;
}

}  // namespace

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
  const Within<Standing::kHook> hook;
  // No rank any more: an image that was kept after _exit is unloaded with the process.
  RankState* state = hosted_state();
  return state == nullptr ? static_cast<ssize_t>(size) : state->write(descriptor, bytes, size);
}

}  // namespace heddle::process
