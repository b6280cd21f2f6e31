// kernel_thread.h — how a kernel thread of a rank begins and ends.
//
// Thread safety: any strand.

#pragma once

#include "exec/process/threads/thread_record.h"

namespace heddle::process {

// Makes the kernel thread of `thread`, a record that is in its rank's Threads; function and
// argument are in its entry. Returns an errno; on success 0, and the record may already be gone.
int start_kernel_thread(Thread& thread, const pthread_attr_t* attributes, pthread_t* id) noexcept;

}  // namespace heddle::process
