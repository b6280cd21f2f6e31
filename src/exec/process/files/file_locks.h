// file_locks.h — fcntl's locks of bytes of a file (POSIX.1), which exclude ranks from each other.
//
// The kernel's fcntl locks belong to the process, so they would not exclude its ranks. So the host
// opens the file once more for each rank and file, and takes the rank's locks on that description
// (F_OFD_SETLK):
//
//   rank 0 ── descriptor 5 ─┐
//          └─ descriptor 9 ─┴─ same file ─► rank 0's description ──┐ F_OFD_SETLK
//   rank 1 ── descriptor 7 ───────────────► rank 1's description ──┴─► the file's locks, as every
//                                                                      process sees them
//
// Two descriptors of one rank never exclude each other, and the close of any of them releases all
// of the rank's locks on the file: POSIX wants both, and SQLite relies on the first one.
//
//   I1  The kernel's locks on a description are those in `held` of its entry.
//
// A rank that waits looks again and again, with sleeps between that let others run; a signal
// handler installed without SA_RESTART ends the wait with EINTR. Deadlocks are not detected: POSIX
// does not require EDEADLK. To other processes l_pid of these locks is -1.
//
// Thread safety: any strand of a hosted rank. One mutex, held over system calls that do not wait.

#pragma once

#include <fcntl.h>

namespace heddle::process {

struct RankState;

// fcntl(descriptor, command, lock) of the calling rank, the command being F_GETLK, F_SETLK or
// F_SETLKW, with its results and errno. F_SETLKW may switch, and is a cancellation point.
int lock_file(int descriptor, int command, struct flock* lock);

// The calling rank is about to close the descriptor.
void unlock_before_close(int descriptor) noexcept;

// The rank ends.
void unlock_all_of(const RankState& rank) noexcept;

}  // namespace heddle::process
