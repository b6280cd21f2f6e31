// option_table.h — every option of mpiexec, in one table: the parser's, --help's and, through it,
// the man page's.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <span>
#include <string>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The things that an option's function may use.
struct Context {
  Section& section;
  CommandLine& line;
  std::string name;   // of the option, as the user wrote it
  std::string value;  // its first value
  std::string second_value;
};

struct Option {
  const char* names;   // separated by blanks; one dash or two are the same
  const char* values;  // their names in --help, one word each
  const char* help;
  void (*apply)(Context&);
};

std::span<const Option> all_options();

// What --help and --version print (options.cpp).
std::string help();
std::string version();

}  // namespace heddle::launch
