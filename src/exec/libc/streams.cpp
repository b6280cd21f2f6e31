#include "exec/libc/streams.h"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>

#include "exec/libc/rank_state.h"

namespace heddle::libc {

namespace {

// A stream's cookie is the rank's state: the stream may be flushed when the rank is not current.
ssize_t write_stdout(void* cookie, const char* text, std::size_t size) {
  // fopencookie wants 0 for a failure.
  const ssize_t written = static_cast<RankState*>(cookie)->write(1, text, size);
  return written < 0 ? 0 : written;
}

ssize_t write_stderr(void* cookie, const char* text, std::size_t size) {
  const ssize_t written = static_cast<RankState*>(cookie)->write(2, text, size);
  return written < 0 ? 0 : written;
}

ssize_t read_stdin(void* cookie, char* text, std::size_t size) {
  auto& state = *static_cast<RankState*>(cookie);
  // As libc does before it reads from a terminal.
  if (state.has_input && Sink::of(STDOUT_FILENO).is_terminal()) fflush(state.hooks.streams[1]);
  return state.hooks.read(STDIN_FILENO, text, size);
}

// libc's streams, used by code that does not know of ranks.
template <int descriptor>
ssize_t write_from_anywhere(void*, const char* text, std::size_t size) {
  RankState* state = hosted_state();
  if (state == nullptr) {
    return Sink::of(descriptor).emit(-1, text, size) ? static_cast<ssize_t>(size) : 0;
  }
  const ssize_t written = state->write(descriptor, text, size);
  return written < 0 ? 0 : written;
}

struct Captured {
  FILE* output = nullptr;
  FILE* errors = nullptr;
};
Captured libc_streams;  // libc's own, while they are replaced

}  // namespace

bool open_streams(RankState& state) noexcept {
  FILE** const streams = state.hooks.streams;
  streams[0] = fopencookie(&state, "r", {read_stdin, nullptr, nullptr, nullptr});
  streams[1] = fopencookie(&state, "w", {nullptr, write_stdout, nullptr, nullptr});
  streams[2] = fopencookie(&state, "w", {nullptr, write_stderr, nullptr, nullptr});
  if (streams[0] == nullptr || streams[1] == nullptr || streams[2] == nullptr) return false;
  if (Sink::of(STDOUT_FILENO).is_terminal()) setvbuf(streams[1], nullptr, _IOLBF, 0);
  setvbuf(streams[2], nullptr, _IONBF, 0);
  return true;
}

Error capture_libc_streams() {
  fflush(stdout);
  fflush(stderr);
  FILE* output = fopencookie(nullptr, "w", {nullptr, write_from_anywhere<1>, nullptr, nullptr});
  FILE* errors = fopencookie(nullptr, "w", {nullptr, write_from_anywhere<2>, nullptr, nullptr});
  if (output == nullptr || errors == nullptr) {
    if (output != nullptr) std::fclose(output);
    return Error::make(MPI_ERR_NO_MEM, "no memory is left for the standard streams");
  }
  setvbuf(output, nullptr, _IONBF, 0);
  setvbuf(errors, nullptr, _IONBF, 0);
  libc_streams = {stdout, stderr};
  stdout = output;
  stderr = errors;
  return {};
}

void release_libc_streams() noexcept {
  if (libc_streams.output == nullptr) return;
  std::fclose(stdout);
  std::fclose(stderr);
  stdout = libc_streams.output;
  stderr = libc_streams.errors;
  libc_streams = {};
}

void flush_in_crash() noexcept {
  visit_in_crash([](RankState& state) {
    state.output.flush_in_crash();
    state.errors.flush_in_crash();
  });
}

void flush_current_rank() noexcept {
  RankState* state = hosted_state();
  if (state == nullptr) {  // a job of one, or of MPIX_Run: libc's own stream
    std::fflush(stdout);
    return;
  }
  std::fflush(state->hooks.streams[1]);
  state->output.flush();
}

}  // namespace heddle::libc
