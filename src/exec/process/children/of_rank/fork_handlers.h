// fork_handlers.h — what the program and its private libraries do around a fork of this rank (pthread_atfork).
//
// libc has one list for the process: a fork would call the handlers of all ranks, on their variables and locks.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stddef.h>

namespace heddle::process_of_rank {

// Calls what is to run before a fork, the youngest first. Returns how many registrations this fork is for.
size_t prepare_fork() noexcept;

// After it, the oldest first, for the same registrations.
void finish_fork_in_parent(size_t count) noexcept;
void finish_fork_in_child(size_t count) noexcept;

// A library of the rank is being unloaded; null: all.
void forget_fork_handlers(const void* library) noexcept;

}  // namespace heddle::process_of_rank
