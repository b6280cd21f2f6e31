// host_hooks.h — the host's side of hooks.h, and what the layers above do for a rank that calls it.
//
// Thread safety: before the first rank, except for leave and end_canceled_main.

#pragma once

#include "exec/process/main/hooks.h"

namespace heddle::process {

// How the calling rank ends if run_main will not return.
struct RankEnder {
  // A thread that is not its main strand has left the program with this status.
  void (*from_thread)(int status) = nullptr;
  // The program has left in one of its constructors or destructors, or a plugin's. Does not
  // return.
  void (*outside_main)(int status) = nullptr;
  // The program has left in a handler of a signal that has interrupted MPI. Does not return.
  void (*inside_mpi)(int status) = nullptr;
  // The main strand was cancelled, and its frames are unwound. Does not return.
  void (*main_canceled)() = nullptr;
};
// Called before the first begin_rank.
void set_rank_ender(const RankEnder& ender) noexcept;

// The calling strand leaves its program for good. Private to exec/process.
void leave(heddle_libc_ending ending, int status);

// The last cleanup handler of a main strand. Likewise.
void end_canceled_main(void*);

}  // namespace heddle::process
