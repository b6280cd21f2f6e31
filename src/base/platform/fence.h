// fence.h — a fence for all threads of the process at once: where one side of a handshake is met
// often and the other hardly ever, the rare side pays for both.
//
//   often:  store A; load B             rarely:  store B; fence_all(); load A
//
// One of the two loads sees the other side's store. The kernel makes each core that runs a thread
// of the process pass a fence (membarrier(2)); a thread that does not run passes one when it is
// switched.
//
// Thread safety: any thread.

#pragma once

namespace heddle::platform {

// Asks the kernel for it. Quick while the process has one thread, some milliseconds later. False:
// it does not offer it.
bool prepare_fence_all() noexcept;
// True once prepare_fence_all() has returned true.
bool has_fence_all() noexcept;
// A fence in every thread. Requires has_fence_all(). Some microseconds.
void fence_all() noexcept;

}  // namespace heddle::platform
