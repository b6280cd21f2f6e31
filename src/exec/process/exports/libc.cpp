#include "exec/process/exports/libc.h"

namespace heddle {

constinit heddle_libc_functions found_functions = {};
constinit bool has_found_functions = false;

void find_functions_here() noexcept {
  find_functions(&found_functions, Names::kOfEachLibc);
  has_found_functions = true;
}

// While there is one thread.
[[maybe_unused]] static const bool all_are_found_at_load = [] {
  static_cast<void>(libc());
  find_functions(&found_functions, Names::kMayBeAbsent);
  return true;
}();

}  // namespace heddle
