// sync.h — synchronization of windows (MPI 5.0 §12.5): fences, post-start-complete-wait, locks,
// flushes.
//
// In one process a put or get has moved its data when it returns. So what ends an epoch, or
// flushes, does not wait for data: a fence is a barrier, a flush is a memory fence of the
// processor. Where the rank has put at targets in other processes these flush first (remote.h), and
// may switch.
//
//   call                 waits for
//   -------------------  ----------------------------------------------------
//   fence, free          all members
//   start                a post of each target
//   wait                 a complete of each origin
//   lock, lock_all       the strands that hold a lock which excludes it
//   the others           nothing; test lets others run where it finds nothing
//
// Waits that only other ranks' calls end are told in the report of a deadlock.
//
// Assertions are checked and otherwise ignored: what they allow would save a load or two.
//
// Thread safety: any strand; one fence, start or post of a rank at a time on a window, as the
// standard asks. Those of the table may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/group/group.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

Error fence(int assertion, Window& window);

Error start(const group::Group& targets, int assertion, Window& window);
Error complete(Window& window);
Error post(const group::Group& origins, int assertion, Window& window);
Error wait(Window& window);
Error test(Window& window, int* flag);

// `rank` may be MPI_PROC_NULL, which has no memory to lock.
Error lock(int type, int rank, int assertion, Window& window);
Error unlock(int rank, Window& window);
Error lock_all(int assertion, Window& window);
Error unlock_all(Window& window);

// MPI_Win_flush and MPI_Win_flush_local; their kin for all targets; MPI_Win_sync.
Error flush(int rank, Window& window);
Error flush_all(Window& window);
Error sync(Window& window);

}  // namespace heddle::rma
