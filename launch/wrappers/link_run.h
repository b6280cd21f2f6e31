// link_run.h — runs the compiler for the link of a program, and says what to do where the linker
// does not.
//
// A program is linked as a shared object, which the linker refuses to make of objects that are not
// position-independent. Its "recompile with -fPIC" is strange to a user who links a program,
// perhaps with an archive that other compilers accept. So the compiler's standard error goes
// through the wrapper, unchanged, and a sentence follows.
//
// Thread safety: none needed.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::wrappers {

// Runs the compiler as a child. Returns its exit status; if a signal has ended it, the wrapper ends
// by the same. `name` is the wrapper's, for messages. The first `command_words` of the words are
// the compiler without its options.
int run_link(const char* name, const std::vector<std::string>& words, std::size_t command_words);

// Becomes the compiler. Returns only if that fails: the exit status.
int become_compiler(const char* name, const std::vector<std::string>& words);

}  // namespace heddle::wrappers
