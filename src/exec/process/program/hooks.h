// hooks.h — the host's part of the plugins that a rank loads.
//
// Thread safety: any strand of the rank.

#pragma once

#include <signal.h>

extern "C" {

// The first two are null if the host leaves them to libc.
struct heddle_program_hooks {
  // `caller` is the return address of the program's call.
  void* (*dlopen)(const char* path, int mode, void* caller);
  int (*dlclose)(void* handle);
  // Around what one rank at a time may do: start and end a library whose copies know of each other.
  // May switch.
  void (*enter_alone)(void);
  void (*leave_alone)(void);
  // SIGEV_THREAD's function runs in a thread of the rank (threads/notices.h).
  void (*notify_in_rank)(struct sigevent* event);
};

}  // extern "C"
