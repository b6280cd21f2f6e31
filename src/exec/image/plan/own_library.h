// own_library.h — the libheddle_libc.so beside the host's libmpi_abi.so.1. Every rank gets a copy
// of this one, wherever the mpicc that linked its program had another: an installation may have
// been moved since, and two of them may be on a machine.
//
// Thread safety: any thread.

#pragma once

#include <string>

#include "exec/image/program.h"

namespace heddle::image {

constexpr char kOwnPrivateLibrary[] = "libheddle_libc.so";

// The path of the library; empty where the host has none (some tests).
const std::string& own_library();

// True if the dynamic linker finds this file for the program, where LD_LIBRARY_PATH does not say
// otherwise.
bool finds_own_library(const Program& program);

}  // namespace heddle::image
