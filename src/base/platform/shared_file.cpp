#include "base/platform/shared_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

namespace heddle::platform {

int make_shared_file() noexcept {
  const int made = memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made >= 0) fchmod(made, S_IRUSR | S_IWUSR);
  return made;
}

}  // namespace heddle::platform
