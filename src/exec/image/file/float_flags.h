// float_flags.h — tells whether a file's code may look at sticky floating-point flags.
//
// It asks for them by libc's functions (fetestexcept and its kin), whose names stand in its tables
// of symbols. Code that reads the status word itself is not recognized, nor is a name for dlsym.
//
// Thread safety: a plain function.

#pragma once

#include <string>

namespace heddle::image {

// True if the file with these bytes imports or has one of the functions.
bool reads_float_flags(const std::string& bytes);

}  // namespace heddle::image
