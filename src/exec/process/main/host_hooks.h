// host_hooks.h — the host's side of hooks.h, and what the layers above do for a rank that calls it.
//
// Thread safety: before the first rank, except for make_hooks and end_canceled_main.

#pragma once

#include "exec/process/state/hooks.h"

namespace heddle::libc {

// What dlopen and dlclose of a rank do; nullptr: libc's. Set before the first begin_rank by the runtime, with
// functions of exec/image.
struct PluginLoader {
  void* (*open)(const char* path, int mode, void* caller) = nullptr;
  int (*close)(void* handle) = nullptr;
};
void set_plugin_loader(const PluginLoader& loader) noexcept;

// How the calling rank ends if run_main will not return.
struct RankEnder {
  // A thread that is not its main strand has left the program with this status.
  void (*from_thread)(int status) = nullptr;
  // The program has left in one of its constructors or destructors, or a plugin's. Does not
  // return.
  void (*outside_main)(int status) = nullptr;
  // The program has left in a handler of a signal that has interrupted MPI. Does not return.
  void (*inside_mpi)(int status) = nullptr;
  // The main strand was cancelled, and its frames are unwound. Does not return.
  void (*main_canceled)() = nullptr;
};
// Before the first begin_rank.
void set_rank_ender(const RankEnder& ender) noexcept;

// All of a rank's hooks, except for the streams, the environment and the program. Private to exec/process.
heddle_libc_hooks make_hooks(int rank) noexcept;

// The last cleanup handler of a main strand. Likewise.
void end_canceled_main(void*);

}  // namespace heddle::libc
