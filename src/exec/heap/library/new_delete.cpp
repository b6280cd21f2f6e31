// new_delete.cpp — operator new of this library takes memory of the process, not of the rank that calls (heap.h).
//
// libmpi_abi.so.1 hides its symbols, so these serve the library and its libstdc++ alone. A unit test that linked this module would get them
// in place of its own. Without memory the process ends, as without exceptions it does anyway.

#include <cstdlib>
#include <exception>
#include <new>

#include "exec/heap/heap.h"

namespace {

// The standard wants an address of its own for nothing, too.
constexpr std::size_t at_least_one(std::size_t bytes) noexcept {
  return bytes != 0 ? bytes : 1;
}

void* allocate(std::size_t bytes) noexcept {
  return heddle::heap::allocate_for_process(at_least_one(bytes));
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  return heddle::heap::allocate_for_process(at_least_one(bytes),
                                            static_cast<std::size_t>(alignment));
}

void* checked(void* block) noexcept {
  if (block == nullptr) std::terminate();
  return block;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return checked(allocate(bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return checked(allocate(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment);
}

void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
