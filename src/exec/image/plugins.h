// plugins.h — dlopen and dlclose of a rank: each rank has its own copies of plugins, as it has of
// its program.
//
//   dlopen("plugin.so")   loads a copy for this rank; a second call gives the same copy
//   dlopen(NULL), ("")    gives the rank's own program
//   dlclose               gives one dlopen back; the last one unloads this rank's copy
//
// Libraries that all ranks share, as libmpi_abi.so, are opened as in any process.
//
// A plugin's needed libraries are this rank's copies too, and its undefined symbols are found in
// this rank's program (global_scope.h). RTLD_GLOBAL makes a plugin's symbols visible to the
// rank's later plugins only.
//
// exec/process calls these from the private C library's dlopen. A caller that belongs to no rank,
// or to a rank without an image, gets the dynamic linker's own functions.
//
// Thread safety: any strand of the rank. Constructors of a plugin run under the loader's lock. So a
// wait in them does not let other ults of the worker run (Standing::kLoading).

#pragma once

namespace heddle::image {

// As dlopen and dlclose; dlerror() tells what failed. `caller`, the return address of the program's
// call, is not used: the program's RUNPATH is searched, also for a call from one of its libraries.
void* open_for_current(const char* path, int mode, void* caller = nullptr) noexcept;
int close_for_current(void* handle) noexcept;

}  // namespace heddle::image
