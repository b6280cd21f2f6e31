// cloned_tasks.h — tasks that a rank makes by clone(2), which runs a function in them.
//
//   flags                             what is made                 what the host does
//   --------------------------------  ---------------------------  --------------------------------
//   no CLONE_VM                       a child with a copy          the stages of a child of fork
//                                                                  (base/fork.h)
//   CLONE_VM, no CLONE_SETTLS         a child or a thread with     gives it a TLS block
//                                     the rank's memory            (exec/ult/task_block.h), and
//                                                                  counts it until the kernel says
//                                                                  that it has ended
//   CLONE_VFORK, CLONE_SETTLS         as the program wants it      nothing
//
// A task with the rank's memory may post a semaphore or unlock a mutex. It is no strand: MPI may
// not be called there.
//
// Not seen here: tasks that a program makes by inline assembly. With the TLS block of a ult they
// must not wake a strand.
//
// Thread safety: any strand of a hosted rank; has_cloned_tasks() any thread.

#pragma once

#include <sys/types.h>

namespace heddle::process {

// Makes a task as clone(2) does.
int clone_task(int (*function)(void*), void* stack, int flags, void* argument, pid_t* parent_id,
               void* thread_pointer, pid_t* child_id) noexcept;

// True while such a task with the memory of this process has not ended.
bool has_cloned_tasks() noexcept;

}  // namespace heddle::process
