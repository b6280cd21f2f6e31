// system_error.h — errors of the kernel as errors of MPI (MPI 5.0 §14.7, table of error classes).
//
// Thread safety: any thread.

#pragma once

#include <string>

#include "base/error.h"

namespace heddle::io {

// MPI_ERR_NO_SUCH_FILE for ENOENT and so on; MPI_ERR_IO for what has no class of its own.
int class_of(int system_error) noexcept;

// "could not WHAT "PATH": No such file or directory".
Error file_error(int system_error, const char* what, const std::string& path);

}  // namespace heddle::io
