// hooks.h — the host's part of a rank's descriptors: descriptors.h for 0, 1 and 2,
// descriptor_owners.h for those above.
//
// Thread safety: any strand of the rank. Not in a child of fork, where descriptors are the
// kernel's.

#pragma once

extern "C" {

struct heddle_descriptor_hooks {
  // dup2 onto 0, 1 or 2 (`onto`) of this rank; also freopen of a standard stream. Takes a duplicate
  // of `from`, which may be one of the three itself. Returns `onto`, or -1 and errno.
  int (*redirect)(int from, int onto);
  // close of 0, 1 or 2 of this rank.
  int (*close_standard)(int standard);
  // The number that the rank gets for `made`, a new descriptor of the process: if the rank has
  // closed 0, 1 or 2, the lowest of these; otherwise `made`.
  int (*place)(int made);
  // What 0, 1 or 2 of this rank is in the process; -1: closed.
  int (*in_process)(int standard);

  // Those above 2.
  //
  // The calling rank has just made `descriptor`, with close-on-exec set. `passes_on`: the program
  // did not ask for that, so children of the rank get it.
  void (*own)(int descriptor, int passes_on);
  // Called before the rank closes `descriptor`. 0: it may. -1 and errno: it is not the rank's.
  int (*give_up)(int descriptor);
  // dup2 and dup3 of `from`, a descriptor of the process, onto `onto`, which is above 2.
  int (*replace)(int from, int onto, int passes_on);
  // 1 or 0: `descriptor` is the rank's, and its children get it or not. -1: it is not the rank's.
  int (*passes_on)(int descriptor);
  // The first one of the rank's that is `first` or higher; -1: none.
  int (*next)(int first);
};

}  // extern "C"
