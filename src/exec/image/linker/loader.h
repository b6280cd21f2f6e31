// loader.h — what all images of a host have in common: the lock, the settings, and which maps a
// dlopen has brought in.
//
// Thread safety: everything here needs the lock, except LoaderLock itself.

#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "exec/image/code_range.h"
#include "exec/image/file/memory_file.h"
#include "exec/image/linker/hidden_map.h"
#include "exec/image/linker/shared_list.h"
#include "exec/image/options.h"

namespace heddle::image {

struct Loader {
  // Lock: guards the loader's state: dlopen and hide, one critical section for the process; held
  // across the load of an image; recursive, because a constructor may dlopen; ranks that wait for
  // it yield.
  std::recursive_mutex mutex;
  Options options;
  SharedList shared;
  std::vector<std::string> needed_by_shared;  // sonames; see is_shared()
  std::uint64_t copies = 0;  // the next copy's number; numbers are never used again
  bool hide_fails = false;   // seen once: hiding does not work with this libc
  bool prepared = false;
  bool reported_float_flags = false;
  bool stacks_are_executable = false;       // because a file has asked for it
  std::set<std::string> plugins_looked_at;  // their paths
  std::string allocator;     // the file of one that the host was started with; empty: it is libc's
  CodeRange allocator_code;  // its code
  CodeRange mathematics;     // libm's code: part of what programs compute, and free of locks

  // The host's own private-by-default libraries (its libstdc++): hidden while an image loads, so
  // that the image gets its own.
  std::vector<HiddenMap> host_maps;

  MemoryFile carrier;  // of all hidden images; rewritten for each copy (Image::load)
};

Loader& loader() noexcept;

// Holds the loader's lock. One that waits long for a constructor which is inside MPI says so.
class LoaderLock {
 public:
  LoaderLock() noexcept;
  ~LoaderLock();
  LoaderLock(LoaderLock&&) = delete;

 private:
  bool outermost_ = false;  // of its strand
};

// True for a soname or path on the shared list, for what the host's shared libraries need
// (libmpi_abi's libhwloc), and for an allocator that the host was started with; always false for
// libraries that are private in any case.
bool is_shared(std::string_view file) noexcept;

// True if is_shared() is true for this loaded file, by its path or its soname.
bool is_shared_map(const link_map* map);

// `root` and the files that the same dlopen has loaded for it, without the shared ones, in the
// order of loading.
std::vector<link_map*> private_maps_of(link_map* root);

// Calls Options::reads_float_flags if the file with these bytes asks for it. Only the first time is
// anything done.
void tell_of_float_flags(const std::string& bytes);

// Calls Options::wants_executable_stacks if the file asks for it, until that has succeeded once.
Error tell_of_stacks(const char* path);

// True if the library whose file has these bytes defines a malloc of its own.
bool is_allocator(const std::string& bytes);

// Finds out, once, which files the host has loaded and which of them images must not find. To be
// called in the directory where the host began, because LD_PRELOAD may hold a relative path.
void look_at_host();

// Again, after the host has loaded more: what is private all the same must not be found by images.
void look_at_host_maps();

// libc's dlopen itself. A sanitizer's, in front of it, would be taken for the caller whose RUNPATH
// is searched, and examines the whole process each time.
using OpenFunction = void* (*)(const char* path, int mode);
OpenFunction linker_open() noexcept;

// dlopen with the host's own private-by-default libraries hidden, and with symbols looked up in the
// loaded files before the host's.
void* open_alone(const char* path);

// The path of AddressSanitizer's or ThreadSanitizer's runtime library, if it is loaded; else empty.
const std::string& sanitizer_runtime();

// A sentence for a failed dlopen, from dlerror()'s text. `what` is the plain path.
Error load_error(const std::string& what, std::uint64_t copy, const char* cause);

}  // namespace heddle::image
