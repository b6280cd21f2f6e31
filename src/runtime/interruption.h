// interruption.h — where the scheduler may interrupt a rank, and where a rank may give its worker
// away.
//
// Only code of the program may be interrupted: no other strand waits for a lock that is held there.
// What ranks share, MPI, libc and the loader among it, holds locks that another rank of the worker
// may want. A call that waits may be left in MPI, too: locks of libc may be held there, since a
// rank that waits for one leaves as well (decision 70).
//
// Thread safety: any strand, about itself; allowed in a signal handler.

#pragma once

#include <cstdint>

namespace heddle::runtime {

// How long a rank computes before another one of its worker runs; 0: as long as it likes.
std::int64_t slice_ns() noexcept;

// True if the address is in the program of the calling rank, which is not inside MPI or the loader.
bool is_program_code(std::uintptr_t program_counter);

// The scheduler's questions (ult::SchedulerOptions).
bool may_interrupt(std::uintptr_t program_counter, std::uintptr_t top_of_stack);
bool may_leave();

}  // namespace heddle::runtime
