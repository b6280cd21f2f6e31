// memory.h — pages from the kernel, with a guard area below where a stack needs one.
//
//   address          address + guard                         address + guard + bytes
//   | guard          | usable, zero, given memory on first touch |
//
// Thread safety: any thread; a Mapping is a plain value with one owner.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::platform {

std::size_t page_size() noexcept;

constexpr std::size_t round_up(std::size_t value, std::size_t power_of_two) noexcept {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}

struct Mapping {
  void* low = nullptr;    // the usable part; nullptr: the kernel refused (memory or mappings)
  std::size_t bytes = 0;  // of the usable part, whole pages
  std::size_t guard = 0;  // bytes below `low` that may not be touched
};

// The inaccessible bytes below a stack. They cost address space, no memory. One page would not do:
// a large frame can begin below it, and would write into other memory. Code that our mpicc compiles
// touches each page of a large frame (-fstack-clash-protection), but libraries may not.
inline constexpr std::size_t kStackGuard = 16 << 20;

// Maps at least `bytes` of zeroed memory, for a stack: a touch below it is a segmentation fault.
[[nodiscard]] Mapping map_stack(std::size_t bytes) noexcept;

// Lets code run in it, as on the stacks of programs that ask for that. Returns an errno, 0 on
// success.
int make_executable(const Mapping& mapping) noexcept;

// Plain zeroed pages without a guard.
[[nodiscard]] Mapping map_pages(std::size_t bytes) noexcept;

void unmap(const Mapping& mapping) noexcept;

// Copies memory of this process that may be unmapped; then returns false. Allowed in a signal
// handler.
bool read_memory(std::uintptr_t from, void* to, std::size_t bytes) noexcept;

// True if the page at `address` belongs to this address space alone: no other mapping shows what is
// written there, and the kernel takes no futex of another process for one there. False also where
// the kernel does not say.
bool is_own_page(const void* address) noexcept;

}  // namespace heddle::platform
