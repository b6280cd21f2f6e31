#include "exec/image/plan/own_library.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace heddle::image {

namespace {

std::string find_own_library() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&find_own_library), &info) == 0) return "";
  const std::string own = info.dli_fname;
  std::string path = own.substr(0, own.rfind('/') + 1) + kOwnPrivateLibrary;
  return path[0] == '/' && access(path.c_str(), R_OK) == 0 ? path : "";
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first, second;
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

const std::string& own_library() {
  static const std::string path = find_own_library();
  return path;
}

bool finds_own_library(const Program& program) {
  if (own_library().empty()) return true;
  for (const std::string_view paths : program.search_paths()) {
    for (std::size_t at = 0; at < paths.size();) {
      const std::size_t end = std::min(paths.find(':', at), paths.size());
      const std::string found = std::string(paths.substr(at, end - at)) + "/" + kOwnPrivateLibrary;
      if (access(found.c_str(), R_OK) == 0) return is_same_file(found, own_library());
      at = end + 1;
    }
  }
  return false;
}

}  // namespace heddle::image
