// start_child.h — posix_spawn whose child has the limit of open files with which the job was
// started.
//
// libc's posix_spawn gives its child no chance to set a limit before the program runs, and a limit
// that the parent sets afterwards comes too late: a shell asks for it at once. So the child is made
// here, as libc makes it: it shares the parent's memory and has a stack of its own, and the parent
// stands still until the program runs.
//
//   the child, before the program:  actions of signals and attributes → file actions → the limit →
//                                   the signal mask
//
// The limit comes behind the file actions, which may name descriptors beyond it.
//
// Thread safety: any thread.

#pragma once

#include <spawn.h>
#include <sys/types.h>

#include "exec/process/descriptors/spawn_actions.h"

namespace heddle::process {

// posix_spawn's result. `attributes` may be null. If libc has an action or attribute that is not
// known here, libc makes the child, and the limit comes a moment after its start.
int start_child(pid_t* child, const char* path, const SpawnActions& actions,
                const posix_spawnattr_t* attributes, char* const* argv,
                char* const* environment) noexcept;

}  // namespace heddle::process
