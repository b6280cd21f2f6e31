// own_children.h — the processes that this rank has started and not waited for.
//
// All ranks' children have one parent, so the kernel would give any of them to a rank that waits for
// any. Not here: what popen and system have started, and what code has forked that does not come by this
// library (libc's forkpty); a rank waits for these by number.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stddef.h>
#include <sys/types.h>

namespace heddle::libc_of_rank {

// Where no memory is left, the child is found by its number only.
void remember_child(pid_t child) noexcept;
void forget_child(pid_t child) noexcept;

// The oldest from place `*place` on, which moves behind it; 0: no more.
pid_t next_child(size_t* place) noexcept;

}  // namespace heddle::libc_of_rank
