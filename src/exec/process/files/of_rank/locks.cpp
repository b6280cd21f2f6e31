// Locks of files. The host makes those of fcntl and lockf (exec/process/files/file_locks.h), since
// the kernel's belong to the process and so to all ranks. Those of flock belong to an open file, so
// they exclude ranks by themselves. Here a rank that waits for one lets others run.

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>
#include <unistd.h>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/waits/of_rank/pauses.h"

using heddle::WaitEnd;
using namespace heddle::process::of_rank;

namespace {

int control(int descriptor, int command, void* argument) {
  const auto* const host = rank_hooks();
  if (host == nullptr) return libc().fcntl(descriptor, command, argument);
  const int own = host->descriptors.in_process(descriptor);
  if (command == F_GETLK || command == F_SETLK || command == F_SETLKW) {
    return host->files.lock(own, command, static_cast<struct flock*>(argument));
  }
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
      const int made = libc().fcntl(own, F_DUPFD_CLOEXEC, argument);
      const bool passes_on = command == F_DUPFD;
      return argument == nullptr ? placed(made, passes_on) : owned(made, passes_on);
    }
    case F_GETFD: {
      const int passes_on = host->descriptors.passes_on(own);
      return passes_on < 0 ? libc().fcntl(own, command) : passes_on != 0 ? 0 : FD_CLOEXEC;
    }
    case F_SETFD:
      if (host->descriptors.passes_on(own) < 0) return libc().fcntl(own, command, argument);
      owned(own, (reinterpret_cast<uintptr_t>(argument) & FD_CLOEXEC) == 0);
      return 0;
    default:
      return libc().fcntl(own, command, argument);
  }
}

}  // namespace

// The argument is a number for some commands; a register holds either.
HEDDLE_EXPORT int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(descriptor, command, argument);
}

HEDDLE_EXPORT int lockf(int descriptor, int command, off_t length) {
  if (rank_hooks() == nullptr) return libc().lockf(descriptor, command, length);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_CUR;
  lock.l_len = length;
  switch (command) {
    case F_LOCK:
      return control(descriptor, F_SETLKW, &lock);
    case F_TLOCK:
      return control(descriptor, F_SETLK, &lock);
    case F_ULOCK:
      lock.l_type = F_UNLCK;
      return control(descriptor, F_SETLK, &lock);
    case F_TEST:
      lock.l_type = F_RDLCK;
      if (control(descriptor, F_GETLK, &lock) != 0) return -1;
      if (lock.l_type == F_UNLCK) return 0;
      errno = EACCES;
      return -1;
    default:
      errno = EINVAL;
      return -1;
  }
}

HEDDLE_EXPORT int lockf64(int descriptor, int command, off64_t length) {
  return lockf(descriptor, command, length);
}

HEDDLE_EXPORT int flock(int descriptor, int operation) {
  const auto* const host = rank_hooks();
  if (host == nullptr) return libc().flock(descriptor, operation);
  const int own = host->descriptors.in_process(descriptor);
  if ((operation & (LOCK_NB | LOCK_UN)) != 0) return libc().flock(own, operation);
  Pauses pauses;
  while (libc().flock(own, operation | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return -1;
    const WaitEnd paused = pauses.pause();
    if (paused == WaitEnd::kNot) return libc().flock(own, operation);
    if (paused == WaitEnd::kHandled) {
      errno = EINTR;
      return -1;
    }
  }
  return 0;
}

#include "locks.inc"
