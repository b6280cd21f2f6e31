// The working directory and file mode mask of this rank: the host keeps them
// (exec/process/files/directory.h) and sets them in the kernel whenever the rank runs, so every system call
// sees them.

#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process_of_rank;

HEDDLE_EXPORT int chdir(const char* path) noexcept {
  static auto* const libc = next<int(const char*)>("chdir");
  return hooks() != nullptr ? hooks()->files.chdir(path) : libc(path);
}

HEDDLE_EXPORT int fchdir(int directory) noexcept {
  static auto* const libc = next<int(int)>("fchdir");
  return hooks() != nullptr ? hooks()->files.fchdir(directory) : libc(directory);
}

HEDDLE_EXPORT mode_t umask(mode_t mask) noexcept {
  static auto* const libc = next<mode_t(mode_t)>("umask");
  return hooks() != nullptr ? hooks()->files.umask(mask) : libc(mask);
}
