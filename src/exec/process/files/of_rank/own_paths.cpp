// readlink, realpath, open, stat and access of the files in /proc about this process; see
// own_process.h. Other paths go to libc.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/waits/of_rank/descriptor_waits.h"

using namespace heddle::process::of_rank;

namespace {

ssize_t copy_link(const char* target, char* buffer, size_t size) noexcept {
  if (size == 0) {
    errno = EINVAL;
    return -1;
  }
  const size_t length = strlen(target);
  const size_t fits = length < size ? length : size;
  memcpy(buffer, target, fits);
  return static_cast<ssize_t>(fits);
}

bool has_mode(int flags) noexcept {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

template <class Open>
int open_in_turn(int folder, const char* path, int flags, Open open) {
  if (!waits_for_other_end(folder, path, flags)) return open();
  pthread_testcancel();  // as libc's does at entry; what comes later does not end the wait
  return wait_outside(open);
}

}  // namespace

HEDDLE_EXPORT ssize_t readlink(const char* path, char* buffer, size_t size) noexcept {
  const char* program = own_program(path);
  return program != nullptr ? copy_link(program, buffer, size)
                            : libc().readlink(OwnPath(path, AT_FDCWD, false), buffer, size);
}

HEDDLE_EXPORT ssize_t readlinkat(int folder, const char* path, char* buffer, size_t size) noexcept {
  const char* program = own_program(path, folder);
  return program != nullptr
             ? copy_link(program, buffer, size)
             : libc().readlinkat(in_process(folder), OwnPath(path, folder, false), buffer, size);
}

HEDDLE_EXPORT int openat(int folder, const char* path, int flags, ...) {
  take_due_turn();
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const int own = open_own(path, flags, folder);
  const OwnPath file(path, folder);
  return make_descriptor(flags, [&](int all) {
    return own >= 0 ? own : open_in_turn(folder, file, flags, [&] {
      return libc().openat(in_process(folder), file, all, mode);
    });
  });
}

HEDDLE_EXPORT int open(const char* path, int flags, ...) {
  take_due_turn();
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const int own = open_own(path, flags);
  const OwnPath file(path);
  return make_descriptor(flags, [&](int all) {
    return own >= 0
               ? own
               : open_in_turn(AT_FDCWD, file, flags, [&] { return libc().open(file, all, mode); });
  });
}

extern "C" {
__attribute__((visibility("default"), alias("creat"))) int creat64(const char* path, mode_t mode);
__attribute__((visibility("default"), alias("open"))) int open64(const char* path, int flags, ...);
__attribute__((visibility("default"), alias("openat"))) int openat64(int folder, const char* path,
                                                                     int flags, ...);
}

#include "own_paths.inc"
