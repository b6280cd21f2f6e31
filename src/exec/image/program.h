// program.h — an executable file on disk: whether ranks can run it as threads, and where its entry
// is.
//
// Inspected once for each program of a job, before any copy of it is loaded. Only a file that
// Heddle's mpicc linked carries the note below; everything else is refused with one sentence.
//
//   .note.heddle   name "Heddle", type 1 (see launch/wrappers/image_stub_<cpu>.S)
//   +------------------+--------------------------------------------------------+
//   | u32 version      | 1                                                      |
//   | i32 entry offset | from this word to the ImageEntry, so that neither      |
//   |                  | -fvisibility=hidden, strip, LTO nor a version script   |
//   |                  | can hide it                                            |
//   +------------------+--------------------------------------------------------+
//
// Thread safety: a Program is constant once inspect() has made it.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::image {

using Main = int (*)(int argc, char** argv, char** environment);

// The table that the stub object puts into every image (data.rel.ro; relocated by the dynamic
// linker).
struct ImageEntry {
  Main main;
  // Calls `open(path, mode)` from inside the image, so that its RUNPATH is searched.
  void* (*open_from_here)(void* (*open)(const char*, int), const char* path, int mode);
};

class Program {
 public:
  // Reads `path` (absolute or relative to the working directory; PATH is not searched).
  static Error inspect(const char* path, Program* out);

  // Absolute, without symbolic links.
  const std::string& path() const noexcept { return path_; }
  dev_t device() const noexcept { return device_; }
  ino_t inode() const noexcept { return inode_; }

  // The dynamic linker that it asks for (PT_INTERP).
  const std::string& interpreter() const noexcept { return interpreter_; }

  // DT_NEEDED, in the file's order.
  const std::vector<std::string>& needed() const noexcept { return needed_; }

  // DT_RUNPATH and DT_RPATH: folders, separated by colons.
  const std::vector<std::string>& search_paths() const noexcept { return search_paths_; }

  // Where its ImageEntry lies in a copy that is loaded at `base`.
  const ImageEntry* entry_at(std::uintptr_t base) const noexcept {
    return reinterpret_cast<const ImageEntry*>(base + entry_);
  }

 private:
  std::string path_;
  std::string interpreter_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uintptr_t entry_ = 0;  // address in the file's own numbering
  std::vector<std::string> needed_, search_paths_;
};

}  // namespace heddle::image
