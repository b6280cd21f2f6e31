// installation.h — where this wrapper stands, and so where the headers and libraries of Heddle are.
//
//   PREFIX/bin/mpicc    PREFIX/include/mpi.h    PREFIX/lib/libmpi_abi.so, libheddle_image.a ...
//
// The build tree and an installation have this same shape, so a prefix may be moved.
//
// Thread safety: plain values.

#pragma once

#include <string>

namespace heddle::wrappers {

struct Installation {
  std::string include_directory;
  std::string library_directory;
};

// Finds it from the path of the running program; symbolic links are followed.
Installation find_installation();

}  // namespace heddle::wrappers
