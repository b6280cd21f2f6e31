// hooks.h — the interface between a rank's private libheddle_libc.so and its host (libmpi_abi.so.1).
//
// The linker gives every rank its own copy of libheddle_libc.so. Its constructor calls
// heddle_libc_attach() with a table of its own functions and gets the host's for this rank. A null
// answer means that no host carries the program (it was started as ./app): then every function of the
// library does what libc's would.
//
//   program ──calls──► libheddle_libc.so ──hooks──► libmpi_abi.so.1 (exec/process)
//                                        ◄─image──
//
// Both sides come from one build. The sizes catch a mixture, and the program is refused.
//
// Thread safety: the tables are constant once exchanged. The hooks may be called by every strand of the rank.

#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "exec/process/state/descriptor_hooks.h"

extern "C" {

// How a rank left its program.
enum heddle_libc_ending {
  HEDDLE_ENDED_RETURNED = 0,   // main returned
  HEDDLE_ENDED_EXIT = 1,       // exit()
  HEDDLE_ENDED_QUICK = 2,      // quick_exit(): handlers of at_quick_exit have run
  HEDDLE_ENDED_IMMEDIATE = 3,  // _exit() or _Exit(): no handler has run or may run any more
};

// A rank's time zone.
struct heddle_libc_zone {
  char** names;  // tzname, timezone and daylight of the rank
  long* seconds_west;
  int* has_summer_time;
  const void* setting;  // the host's; null at first
};

// The library's side.
struct heddle_libc_image {
  size_t size;        // of this structure
  size_t hooks_size;  // of the host's, as the library knows it
  // The work of exit() before it leaves: thread_local destructors of the calling strand, handlers of
  // atexit and on_exit and static destructors in reverse order, and a flush.
  void (*finish)(int status);
  // The program's environment, for main's third argument.
  char*** environment;
  // Around a fork, so that the child finds the library's locks free and what they guard whole.
  void (*hold_locks)(void);
  void (*release_locks)(void);
  // pthread_getname_np and pthread_setname_np of the main strand, with their results; -1: `thread` is another.
  int (*get_name_of_main)(pthread_t thread, char* name, size_t size);
  int (*set_name_of_main)(pthread_t thread, const char* name);
};

// The host's side, for one rank.
struct heddle_libc_hooks {
  int rank;
  const pid_t*
      host_process;          // the process that hosts the rank; 0 in children of fork (base/fork.h)
  FILE* streams[3];          // the rank's own stdin, stdout and stderr
  char* const* environment;  // copied by the library when it attaches
  const char* program;       // the program's file, absolute and without symbolic links
  int argc;                  // as the rank's main gets them at first
  char* const* argv;

  // Leaves the program for good; see run_main.h. Never returns.
  void (*leave)(enum heddle_libc_ending ending, int status);
  // Stops the calling thread for good, as the end of a process does. Never returns.
  void (*stand_still)(void);

  // read and write on descriptors 0, 1 and 2, with their results and errno.
  ssize_t (*read)(int descriptor, void* bytes, size_t size);
  ssize_t (*write)(int descriptor, const void* bytes, size_t size);

  // dup2 onto 0, 1 or 2 (`onto`) of this rank; also freopen of a standard stream. Takes a duplicate
  // of `from`, which may be one of the three itself. Returns `onto`, or -1 and errno.
  int (*redirect)(int from, int onto);
  // close of 0, 1 or 2 of this rank.
  int (*close_standard)(int standard);
  // The number that the rank gets for a new descriptor of the process: the lowest of 0 to 2 that it has
  // closed, else the same.
  int (*place)(int made);
  // What 0, 1 or 2 of this rank is in the process; -1: closed.
  int (*descriptor)(int standard);

  // 1: slept until CLOCK_MONOTONIC reached the deadline. 0: the caller is a kernel thread, which
  // must sleep by itself. 2: a handler of the program has run meanwhile; 3: likewise, and system calls
  // go on after it (SA_RESTART). A thread that is cancelled meanwhile is unwound. May switch.
  int (*sleep_until)(long long deadline_ns);

  // The processor time of this rank, or of the calling strand alone, in nanoseconds (processor_time.h); -1: ask
  // libc. Not in a child of fork.
  long long (*processor_time)(int of_strand);

  // Working directory and file mode mask of this rank, with the results and errno of libc's.
  int (*chdir)(const char* path);
  int (*fchdir)(int directory);
  mode_t (*umask)(mode_t mask);

  // Calls work(argument), which calls functions of libc alone, while libc's time zone is the rank's: by
  // `tz` (null: not set) where it `adopts`, as tzset does, or is new to the host; else as it was. zone.h.
  void (*in_zone)(struct heddle_libc_zone* zone, int adopts, const char* tz, void (*work)(void*),
                  void* argument);

  // Locks of files: file_locks.h. Only for the rank itself, not in a child of fork.
  int (*lock_file)(int descriptor, int command, struct flock* lock);

  heddle_descriptor_hooks descriptors;  // those above 2

  // Processes that the rank starts: children.h. Only for the rank itself, not in a child of fork.
  int (*spawn)(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
               const posix_spawnattr_t* attributes, char* const* argv, char* const* environment);
  int (*prepare_exec)(const char* path);
  void (*undo_exec)(void);
  // Called in a child that libc has forked without telling (_Fork).
  void (*become_child)(void);

  // Null if the host leaves these to libc. `caller` is the return address of the program's call.
  void* (*dlopen)(const char* path, int mode, void* caller);
  int (*dlclose)(void* handle);
};

// Null if the calling strand belongs to no hosted rank. Once for each copy of the library.
__attribute__((visibility("default"))) const struct heddle_libc_hooks* heddle_libc_attach(
    const struct heddle_libc_image* image);

}  // extern "C"
