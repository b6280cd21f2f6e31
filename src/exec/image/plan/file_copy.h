// file_copy.h — an image made without looking into the dynamic linker: all its private files are
// copied to memory, under names that no other copy has.
//
//   original   |ELF headers, names | text, rodata        | data |
//   copy       |names are marked   | same as original    | data |     a MemoryFile, dlopen'ed
//   afterwards |copy (few pages)   | mapped from original| copy |     so that text is shared again
//
// Slower than hiding (a copy of every private file for each rank) and without symbols in gdb; used
// where hiding does not work.
//
// Thread safety: the loader's lock.

#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/file/memory_file.h"
#include "exec/image/plan/plan.h"

namespace heddle::image {

class FileCopies {
 public:
  // Copies the private files of `plan` for copy `number`.
  Error make(const Plan& plan, std::uint64_t number);

  // The names for the image's carrier: the copies' paths, the program first, and the shared
  // libraries.
  const std::vector<std::string>& needed() const noexcept { return needed_; }

  // Called after dlopen: maps pages that are never written from the originals again. `root` is the
  // carrier.
  void share_unwritten_pages(const link_map* root) noexcept;

 private:
  struct Copy {
    std::string original;  // path of the file whose pages may be mapped instead
    std::string loaded;    // the name it is loaded by
    std::string bytes;
    MemoryFile file;
  };
  static void share_pages(const Copy& copy, const link_map* map) noexcept;

  std::vector<Copy> copies_;
  std::vector<std::string> needed_;
};

}  // namespace heddle::image
