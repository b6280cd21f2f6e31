#include "base/platform/openmp_segment.h"

#include <unistd.h>

#include <charconv>
#include <cstring>

namespace heddle::platform {

void remove_openmp_segment(pid_t process) noexcept {
  char path[64] = "/dev/shm/__KMP_REGISTERED_LIB_";  // not by snprintf: in a signal handler
  char* const limit = path + sizeof path;
  char* end = std::to_chars(path + std::strlen(path), limit, process).ptr;
  *end++ = '_';
  end = std::to_chars(end, limit, getuid()).ptr;
  *end = '\0';
  ::unlink(path);
}

}  // namespace heddle::platform
