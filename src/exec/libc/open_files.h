// open_files.h — how many files the process may have open: ranks share the limit that each process of
// another MPI has for itself.
//
// Programs that ranks start get the limit of before: some of them close every descriptor up to it.
//
// Thread safety: raise_open_files before the first rank; the other any thread.

#pragma once

#include <sys/types.h>

namespace heddle::libc {

// The soft limit becomes the hard one, or a million where that is larger.
void raise_open_files() noexcept;

// Gives a child that has just started, or the calling process (0), the limit of before, unless a rank has set one itself.
void lower_open_files_of(pid_t process) noexcept;

}  // namespace heddle::libc
