// hooks.h — the host's part of a rank's working directory, file mode mask and locks of files.
//
// Thread safety: any strand of the rank.

#pragma once

#include <fcntl.h>
#include <sys/types.h>

extern "C" {

struct heddle_file_hooks {
  // These have the results and errno of libc's functions.
  int (*chdir)(const char* path);
  int (*fchdir)(int directory);
  mode_t (*umask)(mode_t mask);

  // file_locks.h. Only for the rank itself, not in a child of fork.
  int (*lock)(int descriptor, int command, struct flock* lock);
};

}  // extern "C"
