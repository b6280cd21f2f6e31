// own_options.h — the options that mpicc itself understands; all others are the compiler's.
//
// One table: the parser's, -showme:help's and, through it, the man page's (launch/man).
//
// Thread safety: plain functions over constants.

#pragma once

#include <string>
#include <string_view>

namespace heddle::wrappers {

// The answers that the wrapper prints in place of running the compiler.
enum class Show {
  nothing,
  command,
  compiler_name,
  compile_flags,
  link_flags,
  include_directories,
  library_directories,
  libraries,
  version,
  help,
};

// True if `word` looks like a question to the wrapper. A question that the table does not have must
// fail, because CMake tries several.
bool is_question(std::string_view word);

// The answer for `word`, or Show::nothing if the table does not have it. One dash or two are the
// same.
Show show_of(std::string_view word);

// A line an option, as mpiexec --help has them.
std::string help();

}  // namespace heddle::wrappers
