// command_line.h — what a user asked the wrapper for: which job the compiler is to do, and with
// which arguments.
//
// The arguments are the compiler's, so the wrapper knows only three things about them: which take a
// value, which stop the compiler before the link, and which contradict an image.
//
// Thread safety: plain values.

#pragma once

#include <string>
#include <vector>

#include "launch/wrappers/own_options.h"

namespace heddle::wrappers {

enum class Job {
  ask,           // no input: --version, -print-..., -v; the compiler answers by itself
  compile,       // stops before the link: -c, -S, -E, -M, -fsyntax-only
  link_program,  // an image
  link_library,  // the user's own shared library: -shared
  link_object,   // -r
};

struct CommandLine {
  Job job = Job::ask;
  Show show = Show::nothing;
  std::string compiler;                // of -cc= or -cxx=; empty: the default
  std::vector<std::string> arguments;  // for the compiler, in the user's order
  bool names_libm = false;             // -lm was among a program's arguments, and is not any more
  std::string refusal;                 // not empty: say this and fail
};

// Why a Fortran compiler must not get these arguments, or nothing: the interfaces have INTEGERs of
// 4 bytes, and each rank loads a copy of libgfortran.
std::string fortran_refusal(const CommandLine& line);

// `words` are main's arguments without the program's name.
CommandLine read_command_line(const std::vector<std::string>& words);

}  // namespace heddle::wrappers
