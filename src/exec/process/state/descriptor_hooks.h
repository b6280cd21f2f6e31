// descriptor_hooks.h — the host's part of what a rank does with descriptors above 2. descriptor_owners.h says
// what they mean.
//
// Thread safety: any strand of the rank. Not in a child of fork, where descriptors are the kernel's.

#pragma once

extern "C" {

struct heddle_descriptor_hooks {
  // The calling rank has made `descriptor`, close-on-exec. `passes_on`: the program did not ask for that, so
  // children of the rank get it.
  void (*own)(int descriptor, int passes_on);
  // Before the rank closes `descriptor`. 0: it may. -1 and errno: it is not the rank's.
  int (*give_up)(int descriptor);
  // dup2 and dup3 of `from`, a descriptor of the process, onto `onto`, which is above 2.
  int (*replace)(int from, int onto, int passes_on);
  // 1 or 0: `descriptor` is the rank's, and its children get it or not. -1: it is not the rank's.
  int (*passes_on)(int descriptor);
  // The first one of the rank's that is `first` or higher; -1: none.
  int (*next)(int first);
};

}  // extern "C"
