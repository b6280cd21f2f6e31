// fork_handlers.h — what the program and its private libraries do around a fork of this rank
// (pthread_atfork).
//
// libc has one list for the process: a fork would call the handlers of all ranks, on their
// variables and locks.
//
// Thread safety: any strand of the rank.

#pragma once

namespace heddle::process::of_rank {

struct Registration;  // of three functions, by one call of pthread_atfork

// Calls what is to run before a fork, the youngest first. Returns the youngest: the fork is for it
// and those before it.
const Registration* prepare_fork() noexcept;

// Calls what is to run after the fork, the oldest first.
void finish_fork_in_parent(const Registration* youngest) noexcept;
void finish_fork_in_child(const Registration* youngest) noexcept;

// A library of the rank is being unloaded; null: all.
void forget_fork_handlers(const void* library) noexcept;

}  // namespace heddle::process::of_rank
