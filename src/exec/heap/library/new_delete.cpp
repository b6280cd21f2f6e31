// new_delete.cpp — operator new of this library takes memory of the process, not of the rank that
// calls (heap.h).
//
// libmpi_abi.so.1 hides its symbols, so these serve the library and its libstdc++ alone. A unit
// test that linked this module would get them in place of its own. As the standard has it, the
// handler is asked for memory (mpi/lifetime/making.cpp has one), and ends the search by an
// exception. Those with std::nothrow are libstdc++'s, which call these.

#include <new>
#include <vector>  // std::__throw_bad_alloc: exceptions are off here

#include "exec/heap/libc_malloc.h"

using heddle::heap::libc_malloc;

namespace {

// `allocate` gives nullptr where there is no memory.
template <class Allocate>
void* find_memory(Allocate allocate) {
  for (;;) {
    if (void* const block = allocate()) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) std::__throw_bad_alloc();
    handler();
  }
}

// The standard wants an address of its own for nothing, too.
constexpr std::size_t at_least_one(std::size_t bytes) noexcept {
  return bytes != 0 ? bytes : 1;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return find_memory([=] { return libc_malloc().allocate(at_least_one(bytes)); });
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return find_memory([=] {
    return libc_malloc().allocate_aligned(static_cast<std::size_t>(alignment), at_least_one(bytes));
  });
}

void operator delete(void* block) noexcept {
  libc_malloc().free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  libc_malloc().free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  libc_malloc().free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  libc_malloc().free(block);
}
