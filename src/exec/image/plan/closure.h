// closure.h — every file that the dynamic linker would load for a program, in its order.
//
// Asked of the dynamic linker itself (`ld.so --list`, as ldd does, about 1 ms), because only it
// knows RUNPATH, LD_LIBRARY_PATH, its cache and the processor's variants. No code of the program
// runs. What LD_PRELOAD names comes first. Heddle's own libraries are the host's (own_library.h).
//
// Thread safety: any thread.

#pragma once

#include <vector>

#include "base/error.h"
#include "exec/image/file/needed.h"
#include "exec/image/program.h"

namespace heddle::image {

// Fails with a sentence that names the first library that is missing. The program itself, the
// kernel's vdso and the dynamic linker are not in the list.
Error find_closure(const Program& program, std::vector<NeededFile>* out);

}  // namespace heddle::image
