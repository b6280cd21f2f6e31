// hooks.h — the host's part of processes that a rank starts: children.h.
//
// Thread safety: any strand of the rank.

#pragma once

#include <spawn.h>
#include <sys/types.h>

extern "C" {

struct heddle_children_hooks {
  const pid_t*
      host_process;  // the process that hosts the rank; 0 in children of fork (base/fork.h)

  // For the rank itself only, not in a child of fork.
  int (*spawn)(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
               const posix_spawnattr_t* attributes, char* const* argv, char* const* environment);
  int (*prepare_exec)(const char* path);
  void (*undo_exec)(void);
  int (*clone_task)(int (*function)(void*), void* stack, int flags, void* argument,
                    pid_t* parent_id, void* thread_pointer, pid_t* child_id);
  int (*go_to_tracer)(pid_t traced);
  // Called in a child that libc has forked without telling (_Fork).
  void (*become_child)(void);
};

}  // extern "C"
