// hooks.h — the host's part of how a rank leaves its program.
//
// Thread safety: any strand of the rank.

#pragma once

extern "C" {

enum heddle_libc_ending {
  HEDDLE_ENDED_RETURNED = 0,   // main returned
  HEDDLE_ENDED_EXIT = 1,       // exit()
  HEDDLE_ENDED_QUICK = 2,      // quick_exit(): handlers of at_quick_exit have run
  HEDDLE_ENDED_IMMEDIATE = 3,  // _exit() or _Exit(): no handler has run or may run any more
};

struct heddle_exit_hooks {
  // Leaves the program for good; see run_main.h. Never returns.
  void (*leave)(enum heddle_libc_ending ending, int status);
  // Stops the calling thread for good, as the end of a process does. Never returns.
  void (*stand_still)(void);
};

}  // extern "C"
