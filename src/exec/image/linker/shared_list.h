// shared_list.h — the libraries that all ranks of a host share; every other one is private.
//
// Shared by default: what holds the process together (the libc family, the dynamic linker, the
// unwinder, MPI itself), OpenMP runtimes (two in one process abort or deadlock; libomp does not,
// decision 104) and sanitizers. libstdc++ is private, because std::cout's flags are. libquadmath
// computes and keeps nothing.
//
// Thread safety: changed by the host before the first image is opened, read afterwards.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::image {

class SharedList {
 public:
  SharedList();

  // `name` is a soname ("libopenblas.so.0"), or its beginning up to a dot ("libopenblas.so",
  // "libopenblas").
  void add(std::string name) { names_.push_back(std::move(name)); }

  // `file` is a soname or a path.
  bool contains(std::string_view file) const noexcept;

 private:
  std::vector<std::string> names_;
};

}  // namespace heddle::image
