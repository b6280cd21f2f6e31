// flags.h — what the wrapper adds to a compiler's command (README.md, "The link").
//
// Thread safety: plain functions.

#pragma once

#include <string>
#include <vector>

#include "launch/wrappers/command_line.h"
#include "launch/wrappers/installation.h"

namespace heddle::wrappers {

using Words = std::vector<std::string>;

enum class Language { c, cxx, fortran };
enum class Family { gcc, clang, flang };

struct Compiler {
  Words command;  // "ccache gcc" is two words
  Language language = Language::c;
  Family family = Family::gcc;
};

// `chosen` is -cc='s value or empty; then the environment decides, then the default.
Compiler find_compiler(Language language, const std::string& chosen);

// The whole command for `line`.
Words compiler_command(const CommandLine& line, const Compiler& compiler,
                       const Installation& installation);

// For users who run the compiler themselves. `for_cmake`: spelled so that CMake's FindMPI keeps
// them.
Words compile_flags(const Compiler& compiler, const Installation& installation, bool for_cmake);
Words link_flags(const Compiler& compiler, const Installation& installation, bool for_cmake);

// The names behind -l.
Words libraries(const Compiler& compiler);

// The directories of mpi.h and, for Fortran, of mpif.h and the modules.
Words include_directories(const Compiler& compiler, const Installation& installation);

// Why there are no Fortran modules for the compiler, or nothing.
std::string lacks_modules(const Compiler& compiler, const Installation& installation);

// True if gcc's library, whose teams are kernel threads, takes the place of LLVM's, and the user
// has not asked for it.
bool lacks_libomp(const CommandLine& line, const Compiler& compiler);

// True if CMake's FindMPI has started this process.
bool asked_by_cmake();

}  // namespace heddle::wrappers
