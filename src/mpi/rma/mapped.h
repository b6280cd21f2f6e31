// mapped.h — windows that several processes of a node map (part.h): what a strand asks of the
// process of a member, whose words it reads and writes itself.
//
//   strand                                        the member's process
//   --------------------------------------------  -----------------------------------------------
//   changes a word that something there waits     looks at the queue of the lock, and at what waits
//   for: look()                                   for posts and completes
//   finds a lock taken: wait_for_lock()           a RemoteTry waits in the queue of the lock; woken,
//                                                 it answers
//   leaves last of those that have locked all:    wakes what waits for that
//   all_have_left(), to all processes
//
// So a lock that is free, a post or a complete for which nothing waits is no packet. A packet that
// comes in vain, or after the window, does no harm.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/rma/target_lock.h"
#include "mpi/rma/window.h"

namespace heddle::rma::mapped {

// Neither switches.
void look(int rank, const Window& window) noexcept;
void all_have_left(const Window& window) noexcept;

// Waits in the queue of the member's lock. `*has_lock`: the strand has it, else it must try again.
// `lost`: how often it has done so in vain. May switch.
Error wait_for_lock(int rank, LockMode mode, int lost, bool* has_lock, const Window& window);

}  // namespace heddle::rma::mapped
