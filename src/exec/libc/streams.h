// streams.h — the C streams of ranks, and libc's own while ranks run.
//
// Thread safety: capture and release before and after all ranks; the others any strand.

#pragma once

#include "base/error.h"

namespace heddle::libc {

struct RankState;

// Makes the three streams of a rank; false if memory ran out. Private to exec/libc.
bool open_streams(RankState& state) noexcept;

// Makes libc's own stdout and stderr, which libraries that ranks share and libc's messages use,
// go to the line of the rank that prints. Lasts until release_libc_streams.
Error capture_libc_streams();
void release_libc_streams() noexcept;

// Emits what the calling rank has printed, for a sentence that ends the job (MPI_Abort).
void flush_current_rank() noexcept;

// For a crash report: emits what ranks have printed, as far as no lock has to be waited for.
void flush_in_crash() noexcept;

}  // namespace heddle::libc
