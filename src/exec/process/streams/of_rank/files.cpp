#include "exec/process/streams/of_rank/files.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/state/of_rank/lock.h"
#include "exec/process/waits/of_rank/descriptor_waits.h"
#include "exec/process/waits/of_rank/pauses.h"

namespace heddle::process::of_rank {
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

// The flags of an open that does what fopen(…, mode) does; -1: open and fdopen cannot do the same.
int flags_of(const char* mode) noexcept {
  if (strpbrk(mode, "+,") != nullptr) return -1;
  const int more =
      (strchr(mode, 'x') != nullptr ? O_EXCL : 0) | (strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0);
  switch (mode[0]) {
    case 'r':
      return O_RDONLY | more;
    case 'w':
      return O_WRONLY | O_CREAT | O_TRUNC | more;
    case 'a':
      return O_WRONLY | O_CREAT | O_APPEND | more;
    default:
      return -1;
  }
}

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

// fopen of a fifo that has no other end yet. The descriptor is libc's lowest, as libc's fopen has
// it. May switch.
FILE* open_fifo(const char* path, const char* mode, int flags) {
  // As libc().open does at entry; a cancellation that comes later does not end the wait.
  pthread_testcancel();
  const int made = owned(wait_outside([&] { return libc().open(path, hidden(flags), 0666); }),
                         (flags & O_CLOEXEC) == 0);
  if (made < 0) return nullptr;
  FILE* const file = remember(libc().fdopen(made, mode));
  if (file == nullptr) close(made);
  return file;
}

// Locks the next stream below `place` that holds unwritten text, and lowers `place` to it; null if
// there is none. Other strands open and close streams meanwhile. A stream that stands here is not
// freed before the lock here and then its own have been free; so its own is taken here, without
// waiting.
FILE* lock_next_written(size_t& place) noexcept {
  Pauses pauses;
  for (;;) {
    {
      Guard guard(Guarded::kOpenFiles);
      if (place > size) place = size;
      while (place > 0 && __fwriting(open_files[place - 1]) == 0) --place;
      if (place == 0) return nullptr;
      FILE* const file = open_files[place - 1];
      if (ftrylockfile(file) == 0) {
        --place;
        return file;
      }
    }
    (void)pauses.wait();  // not in flockfile: the strand that has the stream may be closing it
  }
}

// Takes one stream out; null if none is left.
FILE* take_last() noexcept {
  Guard guard(Guarded::kOpenFiles);
  return size > 0 ? open_files[--size] : nullptr;
}

}  // namespace

// Goes from the last to the first: forget() fills a gap with the last one, so no stream moves to
// where this has been.
int flush_open_files() noexcept {
  int result = 0;
  size_t place = SIZE_MAX;
  while (FILE* const file = lock_next_written(place)) {
    result |= fflush(file);
    funlockfile(file);
  }
  return result;
}

// Does not wait: a strand that stands in a stream never leaves it any more.
void discard_open_files() noexcept {
  Guard guard(Guarded::kOpenFiles);
  for (size_t i = 0; i < size; ++i) __fpurge(open_files[i]);
}

void close_open_files() noexcept {
  // Our fclose would wait for what popen has started.
  while (FILE* const file = take_last()) {
    if (const auto* const host = rank_hooks()) host->descriptors.give_up(fileno(file));
    libc().fclose(file);
  }
  Guard guard(Guarded::kOpenFiles);
  if (size > 0) return;  // another strand has opened a stream since
  free(open_files);
  open_files = nullptr;
  capacity = 0;
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  const bool reads = mode[0] == 'r' && strchr(mode, '+') == nullptr;
  const HiddenMode hidden(mode);
  const int own = reads ? open_own(path, O_RDONLY) : -1;
  if (own >= 0) return fdopen(owned(own, hidden.passes_on), mode);
  // libc().fopen's would keep the worker until the other end is opened.
  const int flags = flags_of(mode);
  if (flags >= 0 && waits_for_other_end(AT_FDCWD, path, flags)) return open_fifo(path, mode, flags);
  return own_descriptor(remember(libc().fopen(OwnPath(path), hidden.text)), hidden.passes_on);
}

HEDDLE_EXPORT FILE* tmpfile() {
  FILE* const file = remember(libc().tmpfile());
  if (file != nullptr && rank_hooks() != nullptr) hide(fileno(file), true);
  return file;
}

// A standard stream stays open, flushed: other libraries of this rank still refer to it. A child of
// fork closes what lies below.
HEDDLE_EXPORT int fclose(FILE* file) {
  if (hooks() != nullptr) {
    const int standard = standard_descriptor(file);
    if (standard >= 0) return fflush(file) | close(standard);
    if (is_pipe(file)) return pclose(file);
    if (const auto* const host = rank_hooks()) {
      // The file's buffered text is written while the rank still has its file locks.
      if (__fwriting(file) != 0) fflush(file);
      host->descriptors.give_up(fileno(file));
    }
    forget(file);
  }
  return libc().fclose(file);
}

// A standard stream is stdio.cpp's. The stream keeps its descriptor.
FILE* heddle::process::of_rank::reopen_file(const char* path, const char* mode, FILE* stream) {
  const HiddenMode hidden(mode);
  if (const auto* const host = rank_hooks()) host->descriptors.give_up(fileno(stream));
  return own_descriptor(libc().freopen(OwnPath(path), hidden.text, stream), hidden.passes_on);
}

HEDDLE_EXPORT int fcloseall() {
  if (hooks() == nullptr) return libc().fcloseall();
  const int result = flush_streams();
  close_open_files();
  return result;
}

#include "files.inc"
