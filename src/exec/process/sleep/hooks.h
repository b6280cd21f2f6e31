// hooks.h — the host's part of sleeps: sleep.h.
//
// Thread safety: any strand of the rank.

#pragma once

extern "C" {

struct heddle_sleep_hooks {
  // 1: slept until CLOCK_MONOTONIC reached the deadline. 0: the caller is a kernel thread, which
  // must sleep by itself. 2 and 3: a handler of the program has run meanwhile; after 3 system calls
  // go on (SA_RESTART). A thread that is cancelled meanwhile is unwound. May switch.
  int (*until)(long long deadline_ns);
};

}  // extern "C"
