// interruption.h — which code of a rank the scheduler may interrupt.
//
// Only code of the program may be interrupted: no other strand waits for a lock that is held there.
// What ranks share, MPI, libc and the loader among it, holds locks that another rank of the worker
// may want. A call that waits may be left in MPI, too: locks of libc may be held there, since a
// rank that waits for one leaves as well (decision 70). The table of base/standing.h says what
// else forbids it.
//
// Thread safety: any strand, about itself; allowed in a signal handler.

#pragma once

#include <cstdint>

namespace heddle::runtime {

// How long a rank computes before another one of its worker runs; 0: as long as it likes.
std::int64_t slice_ns() noexcept;

// True if the address is in the program of the calling rank, which is loaded.
bool is_program_code(std::uintptr_t program_counter);

// SchedulerOptions::is_program_code: true if the rank computes, or spins, or compares memory until
// it has changed.
bool is_program_or_string_code(std::uintptr_t program_counter, std::uintptr_t top_of_stack);

}  // namespace heddle::runtime
