// tempnam, which looks at the rank's TMPDIR; libc's would look at the process's.

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "exec/process/state/of_rank/hosted.h"

namespace {

bool is_folder(const char* path) noexcept {
  struct stat status;
  return path != nullptr && path[0] != '\0' && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

HEDDLE_EXPORT char* tempnam(const char* folder, const char* prefix) noexcept {
  using namespace heddle::process::of_rank;
  if (hooks() == nullptr) return libc().tempnam(folder, prefix);
  const char* const choices[] = {secure_getenv("TMPDIR"), folder, P_tmpdir, "/tmp"};
  for (const char* choice : choices) {
    if (!is_folder(choice)) continue;
    char* name = nullptr;
    constexpr int kLongestPrefix = 5;
    const bool named = prefix != nullptr && prefix[0] != '\0';
    if (asprintf(&name, "%s/%.*sXXXXXX", choice, kLongestPrefix, named ? prefix : "file") < 0) {
      return nullptr;
    }
    if (libc().mktemp(name)[0] != '\0') return name;
    free(name);
    return nullptr;
  }
  return nullptr;  // errno of the last one
}
