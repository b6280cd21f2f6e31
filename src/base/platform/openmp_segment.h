// openmp_segment.h — the shared memory by which copies of LLVM's libomp in one process find each
// other.
//
// libomp makes /dev/shm/__KMP_REGISTERED_LIB_<process>_<user> when it starts, and removes it in its
// destructor. A process that ends by a signal or by _exit runs no destructor, so it removes the
// segment before, or its parent does afterwards.
//
// Thread safety: any thread, also in signal handlers.

#pragma once

#include <sys/types.h>

namespace heddle::platform {

// Removes the segment of a process of this user that has ended, or of this one, which starts no
// copy any more.
void remove_openmp_segment(pid_t process) noexcept;

}  // namespace heddle::platform
