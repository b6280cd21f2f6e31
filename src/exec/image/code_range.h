// code_range.h — a range of addresses of code, either as the file numbers them or where the file is
// loaded.
//
// Thread safety: a plain value.

#pragma once

#include <cstdint>

namespace heddle::image {

struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(std::uintptr_t address) const noexcept { return begin <= address && address < end; }
  CodeRange loaded_at(std::uintptr_t base) const noexcept { return {base + begin, base + end}; }
};

}  // namespace heddle::image
