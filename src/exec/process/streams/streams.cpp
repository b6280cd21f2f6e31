#include "exec/process/streams/streams.h"

#include <mpi.h>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/platform/memory.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/streams/input.h"

namespace heddle::process {

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
  if (state.has_input && Sink::of(STDOUT_FILENO).is_terminal()) fflush(state.shown.streams[1]);
  return read_input(STDIN_FILENO, text, size);
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

// A strand that prints from now on stands still, or it would print again what goes out here. A
// program may hold the lock for long (flockfile) and prints nothing meanwhile; so the wait is
// short, for all streams together.
void lock_in_crash(FILE* stream) noexcept {
  static int tries = 100;  // that are left, of a millisecond
  while (ftrylockfile(stream) != 0 && tries-- > 0) poll(nullptr, 0, 1);
}

// What the program has printed and the stream has not passed on. The memory may be damaged.
std::string_view unwritten(const FILE& stream) noexcept {
  const char* const begin = stream._IO_write_base;
  const char* const end = stream._IO_write_ptr;
  if (begin == nullptr || end <= begin) return {};
  char byte = 0;
  for (const char* at : {begin, end - 1}) {
    if (!platform::read_memory(reinterpret_cast<std::uintptr_t>(at), &byte, 1)) return {};
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

bool open_streams(RankState& state) noexcept {
  FILE** const streams = state.shown.streams;
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
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      FILE* const stream = state.shown.streams[descriptor];
      lock_in_crash(stream);
      const std::string_view text = unwritten(*stream);
      state.write_in_crash(descriptor, text.data(), text.size());
      __fpurge(stream);
    }
  });
}

void flush_without_host() noexcept {
  if (hosted_state() == nullptr) std::fflush(stdout);
}

}  // namespace heddle::process
