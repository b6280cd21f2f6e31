#include "exec/image/file/float_flags.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace heddle::image {

bool reads_float_flags(const std::string& bytes) {
  using namespace std::string_view_literals;
  // As string tables have them. A name that stands elsewhere costs a little time and no more.
  constexpr std::string_view kFunctions[] = {"\0fetestexcept\0"sv, "\0fegetexceptflag\0"sv,
                                             "\0fegetenv\0"sv, "\0feholdexcept\0"sv,
                                             "\0feupdateenv\0"sv};
  // Not bytes.find(), which stops at each zero of the file: 20 ms for libgfortran, in place of 3.
  return std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](std::string_view name) {
    return ::memmem(bytes.data(), bytes.size(), name.data(), name.size()) != nullptr;
  });
}

}  // namespace heddle::image
