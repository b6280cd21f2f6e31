// sides.h — what the two sides of a rank, its libheddle_libc.so and its host, show each other when
// the library attaches.
//
// Thread safety: constant once shown.

#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

extern "C" {

// The library's side.
struct heddle_libc_image {
  size_t size;        // of this structure
  size_t hooks_size;  // of the host's (main/hooks.h), as the library knows it
  size_t rank_size;   // of the next structure, likewise
  size_t libc_size;   // of the table of libc's functions (exports/libc.h), likewise
  // Called before main (program/of_rank/openmp.cpp).
  void (*start)(void);
  // The work of exit() before it leaves: thread_local destructors of the calling strand, handlers
  // of atexit and on_exit and static destructors in reverse order, and a flush.
  void (*finish)(int status);
  // The program's environment, for main's third argument.
  char*** environment;
  // Called around a fork, so that the child finds the library's locks free and what they guard
  // whole.
  void (*hold_locks)(void);
  void (*release_locks)(void);
  // pthread_getname_np and pthread_setname_np of the main strand, with their results; -1: `thread`
  // is another.
  int (*get_name_of_main)(pthread_t thread, char* name, size_t size);
  int (*set_name_of_main)(pthread_t thread, const char* name);
  // A system call that names a path or a list of descriptors. 0: it is none; else *result and errno
  // are its answer. May switch.
  int (*call_by_number)(long number, const long* arguments, long* result);
};

// The host's side, of one rank.
struct heddle_libc_rank {
  int number;
  int cores;                 // its share of them, at least 1
  FILE* streams[3];          // the rank's own stdin, stdout and stderr
  char* const* environment;  // copied by the library when it attaches
  const char* program;       // the program's file, absolute and without symbolic links
  int argc;                  // as the rank's main gets them at first
  char* const* argv;
  const struct heddle_libc_functions* libc;  // libc's own functions (exports/libc.h)
};

}  // extern "C"
