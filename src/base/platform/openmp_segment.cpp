#include "base/platform/openmp_segment.h"

#include <unistd.h>

#include <charconv>
#include <cstring>

namespace heddle::platform {

void remove_openmp_segment(pid_t process) noexcept {
  char path[64] = "/dev/shm/__KMP_REGISTERED_LIB_";  // not by snprintf: in a signal handler
  char* const last = path + sizeof path - 1;         // room for the final zero
  char* end = std::to_chars(path + std::strlen(path), last, process).ptr;
  *end++ = '_';
  end = std::to_chars(end, last, getuid()).ptr;
  *end = '\0';
  ::unlink(path);
}

}  // namespace heddle::platform
