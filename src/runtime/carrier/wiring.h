// wiring.h — the one place where the modules of a process that hosts ranks are set up, in order.
//
// Each module's own function does what it needs. What is here is the order, and what one module
// does for another that must not know it: a rank's dlopen is the image's, the end of a rank is the
// job's.
//
// Thread safety: a kernel thread that is no rank, before and after the job.

#pragma once

#include "base/error.h"
#include "heddle/host.h"

namespace heddle::runtime {

// Once in a process, before the scheduler starts.
Error wire_modules(const heddle_job& job, int ranks_here);
void unwire_modules() noexcept;

// True if the host was started with an allocator. After wire_images.
bool has_allocator() noexcept;

// A part of it, which the host needs first when it looks for allocators.
void wire_images(const heddle_job& job);

}  // namespace heddle::runtime
