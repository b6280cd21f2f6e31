// streams.h — the C streams of ranks, and libc's own while ranks run.
//
// Thread safety: capture and release before and after all ranks; the others any strand.

#pragma once

#include "base/error.h"

namespace heddle::process {

struct RankState;

// Makes the three streams of a rank; false if memory ran out. Private to exec/process.
bool open_streams(RankState& state) noexcept;

// Makes libc's own stdout and stderr, which libraries that ranks share and libc's messages use,
// go to the line of the rank that prints. Lasts until release_libc_streams.
Error capture_libc_streams();
void release_libc_streams() noexcept;

// Flushes libc's own standard output if no host carries the calling strand, for a sentence that
// ends the job (MPI_Abort).
void flush_without_host() noexcept;

// For the end of the process by a signal or MPI_Abort, wherever its threads are: emits what ranks
// have printed, without libc's functions, which may have been interrupted, and without memory.
// Waits for no lock for long. Ranks that print afterwards stand still. (A process loses what its
// streams hold; with a job that ends because one rank has failed, the last words of all would be
// lost.)
void flush_in_crash() noexcept;

}  // namespace heddle::process
