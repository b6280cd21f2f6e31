// open_files.h — raises the limit of open files of the process: all ranks share it, while in
// another MPI each rank has a process and a limit of its own.
//
// Programs that ranks start get the old limit: some of them close every descriptor up to it.
//
// Thread safety: raise_open_files before the first rank; the other any thread.

#pragma once

#include <sys/types.h>

namespace heddle::process {

constexpr int kMostOpenFiles = 1 << 20;

// Raises the soft limit to the hard one, at most to kMostOpenFiles.
void raise_open_files() noexcept;

// Gives a child that has just started, or the calling process (0), the old limit, unless a rank has
// set one itself.
void lower_open_files_of(pid_t process) noexcept;

}  // namespace heddle::process
