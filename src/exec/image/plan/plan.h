// plan.h — how the copies of one program are loaded; made once, before the first.
//
// Most C programs are loaded directly, by dlopen of the program itself. A carrier (carrier.h) is
// needed in three cases: a file must be replaced by an edited one; a library is needed by a path,
// so that the dynamic linker would not tell its copies apart; libraries are preloaded.
//
// Thread safety: the loader's lock.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/code_range.h"
#include "exec/image/file/memory_file.h"
#include "exec/image/program.h"

namespace heddle::image {

struct PlannedFile {
  std::string name;    // a shared library's soname; unused for a private one
  std::string path;    // of the original
  std::string soname;  // of a private library; may be empty
  bool is_private = false;
  CodeRange code;     // of the program and of its own libraries; empty for those of the language
  MemoryFile edited;  // what is loaded in the original's place, if anything
};

struct Plan {
  // True if the program's file is dlopen'ed and the dynamic linker finds the rest.
  bool direct = true;
  // If the plan is not direct: all files, the program first, in the linker's order.
  std::vector<PlannedFile> files;
  // A library that defines malloc, as jemalloc and sanitizers do, and that the host has not loaded.
  // Libc, which all share, hands out memory that programs free, so the process must have it from
  // its start.
  std::string allocator;
  // How many private maps the first copy had. A later copy with fewer shares a file by mistake.
  std::size_t private_maps = 0;

  // The names for copy `number`'s carrier.
  std::vector<std::string> needed_by_copy(std::uint64_t number) const;
};

// The plan for `program`; the first call makes it. That call also loads the shared libraries that
// copies need, so that they bind to libc and not to the first rank's private libraries. With
// `for_copies` the plan lists the files in any case (file_copy.h).
Error plan_for(const Program& program, bool for_copies, Plan** out);

}  // namespace heddle::image
