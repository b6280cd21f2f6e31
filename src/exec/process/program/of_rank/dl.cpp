// dlopen and dlclose of a rank: plugins are private to the rank like its image (exec/image), and
// dlopen(NULL) is the rank's own program. dlsym needs nothing: libc's looks from its caller.

#include <dlfcn.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

// Where libc serves, its function is the last thing called, so that the compiler jumps to it and
// libc sees the program as its caller (for RUNPATH and $ORIGIN).
HEDDLE_EXPORT void* dlopen(const char* path, int mode) noexcept {
  if (hooks() != nullptr && hooks()->program.dlopen != nullptr) {
    return hooks()->program.dlopen(path, mode, __builtin_return_address(0));
  }
  return libc().dlopen(path, mode);
}

HEDDLE_EXPORT int dlclose(void* handle) noexcept {
  if (hooks() != nullptr && hooks()->program.dlclose != nullptr)
    return hooks()->program.dlclose(handle);
  return libc().dlclose(handle);
}
