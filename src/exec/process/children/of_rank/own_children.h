// own_children.h — the processes that this rank has started and not waited for.
//
// All ranks' children have one parent, so the kernel would give a rank that waits for any child
// another rank's. Not in the list: children of popen and system, and children forked by code that
// does not go through this library (libc's forkpty). A rank waits for these by number.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stddef.h>
#include <sys/types.h>

namespace heddle::process::of_rank {

// If no memory is left, the child is found by its number only.
void remember_child(pid_t child) noexcept;
void forget_child(pid_t child) noexcept;

// The oldest from place `*place` on, which moves behind it; 0: no more.
pid_t next_child(size_t* place) noexcept;

}  // namespace heddle::process::of_rank
