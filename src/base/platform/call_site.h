// call_site.h — whether an address is one that a call returns to, judged by the instruction before
// it.
//
// Thread safety: any thread; allowed in a signal handler.

#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/platform/memory.h"

namespace heddle::platform {

// Requires that the address lies in code. Other bytes that look like a call instruction give a
// wrong true.
inline bool is_behind_call(std::uintptr_t address) noexcept {
#if defined(__x86_64__)
  std::uint8_t before[7];
  if (!read_memory(address - sizeof before, before, sizeof before)) return false;
  if (before[2] == 0xe8) return true;  // call rel32
  // call by register or memory: ff, then a byte with 2 in its middle, then up to five more.
  for (const int length : {2, 3, 4, 6, 7}) {
    if (before[7 - length] == 0xff && (before[8 - length] & 0x38) == 0x10) return true;
  }
  return false;
#elif defined(__aarch64__)
  std::uint32_t before;
  if (!read_memory(address - sizeof before, &before, sizeof before)) return false;
  return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000;
#endif
}

}  // namespace heddle::platform
