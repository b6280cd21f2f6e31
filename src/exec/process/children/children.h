// children.h — the processes that a rank starts.
//
//   fork        calls libc's fork; so does    0, 1 and 2 of the child become what they were to the
//                                             rank;
//               vfork                       from then on they are the kernel's, like in any process
//   spawn       posix_spawn, popen, system    the same, by actions before the program's own
//   exec        in a child                    nothing special
//               in a rank                     would replace the process, and with it all ranks:
//                                             only where the rank is alone in its job, else EPERM
//
// A child of rank 0 reads the job's standard input, a child of another rank reads nothing, like the
// rank itself. A child writes straight to the job's output, so its lines are neither kept whole nor
// labelled. A line that the rank has begun is emitted first. The child of a fork has a copy of what
// the rank's streams hold unwritten, as with any process: flush before you fork.
//
// A child has the limit of open files with which mpiexec was started (start_child.h).
//
// ptrace: the kernel thread that forked a child, or attached to it, is its tracer, and the kernel
// obeys no other one. A rank whose call was away (exec/ult/outside.h), as waitpid may be, goes on
// on another one. go_to_tracer brings it back, if that thread is a spare one.
//
// Thread safety: each function any strand of a hosted rank, prepare_exec and undo_exec any thread.

#pragma once

#include <spawn.h>
#include <sys/types.h>

namespace heddle::process {

// posix_spawn's result; `actions` and `attributes` may be null.
int spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* argv,
          char* const* environment) noexcept;

// Before the calling rank replaces the process: 0, or -1 with errno and a sentence on its standard
// error. undo_exec if the program could not be executed. In a child of fork and without a host they
// do nothing.
int prepare_exec(const char* path) noexcept;
void undo_exec() noexcept;

// 0: the caller now runs on the kernel thread that traces this process; -1: it does not. May
// switch.
int go_to_tracer(pid_t traced) noexcept;

}  // namespace heddle::process
