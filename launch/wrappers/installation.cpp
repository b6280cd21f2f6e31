#include "launch/wrappers/installation.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace heddle::wrappers {

namespace {

// "/a/b/c" without its last part.
std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

// Joins "/a/b/bin" and "../lib" to "/a/b/lib", because configure scripts compare paths as text.
std::string join(std::string directory, std::string relative) {
  while (relative.compare(0, 3, "../") == 0) {
    directory = parent(directory);
    relative.erase(0, 3);
  }
  if (directory == "/") directory.clear();
  return directory + "/" + relative;
}

}  // namespace

Installation find_installation() {
  char self[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  // Without /proc: as it was called.
  if (length < 0 &&
      ::realpath(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)), self) != nullptr) {
    length = static_cast<ssize_t>(std::strlen(self));
  }
  const std::string directory =
      parent(length > 0 ? std::string(self, static_cast<std::size_t>(length)) : "/usr/bin/mpicc");
  return {join(directory, HEDDLE_INCLUDE_FROM_BIN), join(directory, HEDDLE_LIB_FROM_BIN)};
}

}  // namespace heddle::wrappers
