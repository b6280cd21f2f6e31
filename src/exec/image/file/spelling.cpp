#include "exec/image/file/spelling.h"

#include <cassert>

namespace heddle::image {

std::string spelled(std::string_view path, std::uint64_t number) {
  assert(!path.empty() && path.front() == '/');
  std::string result = "/";
  for (; number != 0; number >>= 1) result += (number & 1) != 0 ? "./" : "/";
  result += path.substr(1);
  return result;
}

std::string plain(std::string_view path) {
  while (true) {
    if (path.substr(0, 2) == "//") {
      path.remove_prefix(1);
    } else if (path.substr(0, 3) == "/./") {
      path.remove_prefix(2);
    } else {
      return std::string(path);
    }
  }
}

}  // namespace heddle::image
