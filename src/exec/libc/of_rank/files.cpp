#include "exec/libc/of_rank/files.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/libc/of_rank/descriptors.h"
#include "exec/libc/of_rank/lock.h"
#include "exec/libc/of_rank/own_process.h"

namespace heddle::libc_of_rank {
namespace {

constinit FILE** open_files = nullptr;
constinit size_t size = 0;
constinit size_t capacity = 0;

// The mode with close-on-exec for libc (descriptors.h).
struct HiddenMode {
  explicit HiddenMode(const char* mode) noexcept : passes_on(strchr(mode, 'e') == nullptr) {
    const bool adds = passes_on && rank_hooks() != nullptr;
    snprintf(text, sizeof text, "%c%s%s", mode[0], adds ? "e" : "",
             mode[0] != '\0' ? mode + 1 : "");
  }
  const bool passes_on;
  char text[80];
};

// Returns `file`, whose descriptor is the rank's from now on.
FILE* own_descriptor(FILE* file, bool passes_on) noexcept {
  if (file != nullptr) owned(fileno(file), passes_on);
  return file;
}

// Returns `file`. Where no memory is left to remember it, libc still closes it at the end.
FILE* remember(FILE* file) noexcept {
  if (file == nullptr || hooks() == nullptr) return file;
  Guard guard(Guarded::kOpenFiles);
  if (size == capacity) {
    const size_t larger = capacity == 0 ? 16 : 2 * capacity;
    auto** grown = static_cast<FILE**>(realloc(open_files, larger * sizeof(FILE*)));
    if (grown == nullptr) return file;
    open_files = grown;
    capacity = larger;
  }
  open_files[size++] = file;
  return file;
}

void forget(const FILE* file) noexcept {
  Guard guard(Guarded::kOpenFiles);
  for (size_t i = size; i-- > 0;) {
    if (open_files[i] != file) continue;
    open_files[i] = open_files[--size];
    return;
  }
}

template <class Action>
void for_each_open_file(Action action) noexcept {
  // Not under the lock: an action may block on the file. The rank is ending or waits for this.
  for (size_t i = size; i-- > 0;) action(open_files[i]);
}

}  // namespace

void flush_open_files() noexcept {
  for_each_open_file([](FILE* file) {
    if (__fwriting(file)) fflush(file);
  });
}

void discard_open_files() noexcept {
  for_each_open_file([](FILE* file) { __fpurge(file); });
}

void close_open_files() noexcept {
  static auto* const libc = next<int(FILE*)>("fclose");
  // Not by our fclose, which would wait for what popen has started.
  while (size > 0) {
    FILE* const file = open_files[--size];
    if (const auto* const host = rank_hooks()) host->descriptors.give_up(fileno(file));
    libc(file);
  }
  free(open_files);
  open_files = nullptr;
  capacity = 0;
}

}  // namespace heddle::libc_of_rank

using namespace heddle::libc_of_rank;

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  static auto* const libc = next<FILE*(const char*, const char*)>("fopen");
  const bool reads = mode[0] == 'r' && strchr(mode, '+') == nullptr;
  const HiddenMode hidden(mode);
  const int own = reads ? open_own(path, O_RDONLY) : -1;
  if (own >= 0) return fdopen(owned(own, hidden.passes_on), mode);
  const char* program = own_program(path);
  return own_descriptor(remember(libc(program != nullptr ? program : path, hidden.text)),
                        hidden.passes_on);
}

HEDDLE_EXPORT FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

HEDDLE_EXPORT FILE* fdopen(int descriptor, const char* mode) noexcept {
  static auto* const libc = next<FILE*(int, const char*)>("fdopen");
  // A file at 0, 1 or 2 has another number in the process, which is not the stream's to close.
  const int own = in_process(descriptor);
  return remember(libc(own == descriptor ? own : fcntl(own, F_DUPFD_CLOEXEC, 3), mode));
}

HEDDLE_EXPORT FILE* tmpfile() {
  static auto* const libc = next<FILE*()>("tmpfile");
  FILE* const file = remember(libc());
  if (file != nullptr && rank_hooks() != nullptr) hide(fileno(file), true);
  return file;
}

HEDDLE_EXPORT FILE* tmpfile64() {
  return tmpfile();
}

// A standard stream stays open, flushed: other libraries of this rank still refer to it. A child of fork
// closes what lies below.
HEDDLE_EXPORT int fclose(FILE* file) {
  static auto* const libc = next<int(FILE*)>("fclose");
  if (hooks() != nullptr) {
    const int standard = standard_descriptor(file);
    if (standard >= 0) return fflush(file) | close(standard);
    if (is_pipe(file)) return pclose(file);
    if (const auto* const host = rank_hooks()) {
      // Its buffered text is written while the rank still has its file locks.
      if (__fwriting(file) != 0) fflush(file);
      host->descriptors.give_up(fileno(file));
    }
    forget(file);
  }
  return libc(file);
}

// A standard stream is stdio.cpp's. The stream keeps its descriptor.
FILE* heddle::libc_of_rank::reopen_file(const char* path, const char* mode, FILE* stream) {
  static auto* const libc = next<FILE*(const char*, const char*, FILE*)>("freopen");
  const HiddenMode hidden(mode);
  if (const auto* const host = rank_hooks()) host->descriptors.give_up(fileno(stream));
  return own_descriptor(libc(path, hidden.text, stream), hidden.passes_on);
}

HEDDLE_EXPORT int fcloseall() {
  static auto* const libc = next<int()>("fcloseall");
  if (hooks() == nullptr) return libc();
  flush_streams();
  close_open_files();
  return 0;
}
