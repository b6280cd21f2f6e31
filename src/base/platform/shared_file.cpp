#include "base/platform/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <string>

namespace heddle::platform {

int make_shared_file() noexcept {
  const int made = memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made >= 0) fchmod(made, S_IRUSR | S_IWUSR);
  return made;
}

int open_shared_file(int process, int descriptor) noexcept {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace heddle::platform
