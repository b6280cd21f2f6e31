// kernel_thread.h — how a kernel thread of a rank begins and ends.
//
// Thread safety: any strand.

#pragma once

#include "exec/posix/thread_record.h"

namespace heddle::posix {

// Makes it for a record that its rank's Threads have; function and argument are in its entry. Errno,
// 0 on success; then the record may already be gone.
int start_kernel_thread(Thread& thread, const pthread_attr_t* attributes, pthread_t* id) noexcept;

}  // namespace heddle::posix
