#include "exec/image/file/float_flags.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "exec/image/file/elf_edit.h"

namespace heddle::image {

bool reads_float_flags(const std::string& bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view kFunctions[] = {"\0fetestexcept\0"sv, "\0fegetexceptflag\0"sv,
                                             "\0fegetenv\0"sv, "\0feholdexcept\0"sv,
                                             "\0feupdateenv\0"sv};
  // To search a whole file, most of which may be debug information, takes milliseconds.
  const std::vector<std::string_view> tables = string_tables(bytes);
  return std::any_of(tables.begin(), tables.end(), [&](std::string_view table) {
    // Not table.find(), which stops at each zero.
    return std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](std::string_view name) {
      return ::memmem(table.data(), table.size(), name.data(), name.size()) != nullptr;
    });
  });
}

}  // namespace heddle::image
