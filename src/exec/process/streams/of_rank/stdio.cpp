// stdin, stdout, stderr of this rank, and the functions that use them without being told.
//
// The host makes three streams for each rank, whose reads and writes come back to it as hooks, so
// buffering, orientation, end-of-file and freopen are the rank's own. Until it attaches, or where
// no host runs, they are libc's.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/streams/of_rank/files.h"

extern "C" {
extern FILE _IO_2_1_stdin_, _IO_2_1_stdout_, _IO_2_1_stderr_;
__attribute__((visibility("default"))) FILE* stdin = &_IO_2_1_stdin_;
__attribute__((visibility("default"))) FILE* stdout = &_IO_2_1_stdout_;
__attribute__((visibility("default"))) FILE* stderr = &_IO_2_1_stderr_;
}

namespace heddle::process::of_rank {
namespace {

constinit FILE* const* standard = nullptr;  // the host's three streams

}  // namespace

int standard_descriptor(const FILE* stream) noexcept {
  for (int i = 0; standard != nullptr && i < 3; ++i) {
    if (standard[i] == stream) return i;
  }
  return -1;
}

void adopt_streams(FILE* const streams[3]) noexcept {
  standard = streams;
  stdin = streams[0];
  stdout = streams[1];
  stderr = streams[2];
}

int flush_streams() noexcept {
  int result = 0;
  for (int i = 1; i < 3; ++i) result |= fflush(standard[i]);
  return result | flush_open_files();
}

void flush_printed() noexcept {
  for (int i = 1; i < 3; ++i) {
    if (ftrylockfile(standard[i]) != 0) continue;
    fflush(standard[i]);
    funlockfile(standard[i]);
  }
}

void close_streams() noexcept {
  // The host closes the standard streams. Their buffers may be the program's (setvbuf).
  for (int i = 1; i < 3; ++i) {
    fflush(standard[i]);
    setvbuf(standard[i], nullptr, _IONBF, 0);
  }
  close_open_files();
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT int fileno(FILE* stream) noexcept {
  const int standard_number = standard_descriptor(stream);
  return standard_number >= 0 ? standard_number : libc().fileno(stream);
}

// The standard streams keep their FILE: std::cout and the like point to it.
HEDDLE_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  const int standard_number = standard_descriptor(stream);
  if (standard_number < 0) return reopen_file(path, mode, stream);
  fflush(stream);
  clearerr(stream);
  if (path == nullptr) return stream;
  FILE* file = fopen(path, mode);
  if (file == nullptr) return nullptr;
  const bool done = dup2(fileno(file), standard_number) >= 0;
  fclose(file);
  if (standard_number != 2) setvbuf(stream, nullptr, _IOFBF, BUFSIZ);
  return done ? stream : nullptr;
}

// Flushes all streams of this rank if it is given null.
HEDDLE_EXPORT int fflush(FILE* stream) {
  if (stream != nullptr || hooks() == nullptr) return libc().fflush(stream);
  return flush_streams();
}

HEDDLE_EXPORT int puts(const char* string) {
  flockfile(stdout);
  const bool failed = fputs_unlocked(string, stdout) < 0 || putc_unlocked('\n', stdout) == EOF;
  funlockfile(stdout);
  return failed ? EOF : 1;
}

HEDDLE_EXPORT void perror(const char* message) {
  const int error = errno;
  char text[256];
  const char* reason = strerror_r(error, text, sizeof text);
  const bool prefixed = message != nullptr && message[0] != '\0';
  fprintf(stderr, "%s%s%s\n", prefixed ? message : "", prefixed ? ": " : "", reason);
  errno = error;
}

#include "stdio.inc"
