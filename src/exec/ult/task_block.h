// task_block.h — a TLS block for a kernel task that glibc has not made, as clone(2) without
// CLONE_SETTLS makes one.
//
// Such a task has the block of its maker. If that is a ult, the task would be the ult to the
// scheduler: a strand that it wakes would go into a run queue of a worker on which it does not run.
// With a block of its own it is a kernel thread like others.
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

struct TaskBlock;

// Null if no memory or no kernel thread is left.
TaskBlock* make_task_block() noexcept;
void* thread_pointer_of(const TaskBlock& block) noexcept;
// Requires that the task has ended.
void free_task_block(TaskBlock& block) noexcept;

}  // namespace heddle::ult
