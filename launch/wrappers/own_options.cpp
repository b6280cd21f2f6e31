#include "launch/wrappers/own_options.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace heddle::wrappers {

namespace {

struct OwnOption {
  const char* names;  // separated by blanks
  const char* help;
  Show show;
};

constexpr std::array<OwnOption, 13> kOptions{{
    {"-show -showme -compile-info -compile_info -link-info -link_info",
     "print the compiler's whole command and run nothing", Show::command},
    {"-showme:command", "print the compiler's name", Show::compiler_name},
    {"-showme:compile", "print the flags for compiling", Show::compile_flags},
    {"-showme:link", "print the flags for linking", Show::link_flags},
    {"-showme:incdirs", "print the directory of the headers", Show::include_directories},
    {"-showme:libdirs", "print the directory of the libraries", Show::library_directories},
    {"-showme:libs", "print the names of the libraries", Show::libraries},
    {"-showme:version", "print Heddle's version", Show::version},
    {"-showme:help", "print this text", Show::help},
    {"-cc=COMMAND", "the C compiler, in place of HEDDLE_CC and the default", Show::nothing},
    {"-cxx=COMMAND", "the C++ compiler, in place of HEDDLE_CXX and the default", Show::nothing},
    {"-fc=COMMAND", "the Fortran compiler, in place of HEDDLE_FC and the default", Show::nothing},
    {"-static", "refused: ranks share one process, so a program must be dynamic", Show::nothing},
}};

}  // namespace

bool is_question(std::string_view word) {
  constexpr std::array<std::string_view, 4> kBeginnings{"-show", "--show", "-compile", "-link"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return word.substr(0, start.size()) == start; });
}

Show show_of(std::string_view word) {
  if (word.substr(0, 2) == "--") word.remove_prefix(1);
  for (const OwnOption& option : kOptions) {
    std::istringstream names(option.names);
    for (std::string name; names >> name;) {
      if (name == word) return option.show;
    }
  }
  return Show::nothing;
}

std::string help() {
  std::string text =
      "mpicc [OPTIONS AND FILES OF THE COMPILER]\n"
      "Compiles and links MPI programs: adds flags to the words and becomes the compiler.\n\n";
  for (const OwnOption& option : kOptions) {
    std::string left = std::string("  ") + option.names;
    left.resize(std::max<std::size_t>(left.size() + 2, 40), ' ');
    text += left + option.help + "\n";
  }
  return text +
         "\nmpicxx, mpic++ and mpiCC do the same for C++; mpifort, mpif77 and mpif90 for "
         "Fortran.\n";
}

}  // namespace heddle::wrappers
