// plugins.h — dlopen and dlclose of ranks.
//
// Thread safety: set_plugin_loader before the first rank; program_hooks any strand.

#pragma once

#include "exec/process/program/hooks.h"

namespace heddle::process {

// What dlopen and dlclose of a rank do; nullptr: libc's. Set before the first begin_rank by the
// runtime, with functions of exec/image and threads/.
struct PluginLoader {
  void* (*open)(const char* path, int mode, void* caller) = nullptr;
  int (*close)(void* handle) = nullptr;
  void (*notify_in_rank)(sigevent* event) = nullptr;
};
void set_plugin_loader(const PluginLoader& loader) noexcept;

heddle_program_hooks program_hooks() noexcept;

// While it lives, no other strand is here, nor between the hooks enter_alone and leave_alone. The
// constructor may switch.
class Alone {
 public:
  Alone() noexcept;
  ~Alone();
  Alone(Alone&&) = delete;
};

}  // namespace heddle::process
