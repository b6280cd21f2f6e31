// closure.h — every file that the dynamic linker would load for a program, in its order.
//
// Asked of the dynamic linker itself (`ld.so --list`, as ldd does, about 1 ms), because only it
// knows RUNPATH, LD_LIBRARY_PATH, its cache and the processor's variants. No code of the program
// runs. What LD_PRELOAD names comes first.
//
// Thread safety: any thread.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/program.h"

namespace heddle::image {

struct NeededFile {
  std::string name;  // as asked for: mostly a soname
  std::string path;  // where it was found
};

// Fails with a sentence that names the first library that is missing. The program itself, the
// kernel's vdso and the dynamic linker are not in the list.
Error find_closure(const Program& program, std::vector<NeededFile>* out);

}  // namespace heddle::image
