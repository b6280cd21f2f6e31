// plugins.h — dlopen and dlclose as a rank's program means them.
//
//   dlopen("plugin.so")   a copy for this rank; a second call gives the same copy
//   dlopen(NULL)          the rank's own program
//   dlclose               unloads this rank's copy
//
// A plugin's needed libraries are this rank's copies too, and its undefined symbols are found in
// this rank's program (global_scope.h). RTLD_GLOBAL makes a plugin's symbols visible to the
// rank's later plugins only.
//
// exec/libc calls these from the private C library's dlopen. A caller that belongs to no rank, or
// to a rank without an image, gets the dynamic linker's own functions.
//
// Thread safety: any strand of the rank. Constructors and destructors of a plugin run under the
// loader's lock, so they must not park.

#pragma once

namespace heddle::image {

// As dlopen and dlclose; dlerror() tells what failed. `caller`, the return address of the program's
// call, is not used: the program's RUNPATH is searched, also for a call from one of its libraries.
void* open_for_current(const char* path, int mode, void* caller = nullptr) noexcept;
int close_for_current(void* handle) noexcept;

}  // namespace heddle::image
