// needed.h — which files the dynamic linker would load for a program: it is asked (ld.so --list, as
// ldd does, about 1 ms).
//
// Thread safety: any thread.

#pragma once

#include <string>
#include <vector>

namespace heddle::image {

struct NeededFile {
  std::string name;  // as asked for: mostly a soname
  std::string path;  // where it was found; empty: nowhere
};

// In the linker's order, without the kernel's vdso and the linker itself; nothing if one is
// missing. Returns the linker's status in wait's form, or -1 with errno. `folder`: where to look,
// too, behind LD_LIBRARY_PATH; empty: nowhere else.
int list_needed(const std::string& interpreter, const std::string& program,
                const std::string& folder, std::vector<NeededFile>* out);

}  // namespace heddle::image
