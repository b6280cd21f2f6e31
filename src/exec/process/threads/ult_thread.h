// ult_thread.h — how a thread of a rank that is a ult begins and ends.
//
// Thread safety: any strand.

#pragma once

#include "exec/process/threads/thread_record.h"

namespace heddle::process {

// The calling strand's record if it is a ult thread; nullptr: another strand.
Thread* this_ult_thread() noexcept;

// As start_kernel_thread. `attributes` must not give a stack. Not on the worker `kept`
// (Threads::place).
int start_ult_thread(Thread& thread, const pthread_attr_t* attributes, int kept,
                     pthread_t* id) noexcept;

}  // namespace heddle::process
