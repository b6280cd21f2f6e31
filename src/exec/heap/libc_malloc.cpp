#include "exec/heap/libc_malloc.h"

#include <dlfcn.h>

#include <cstdlib>

#include "exec/heap/mimalloc_calls.h"

namespace heddle::heap {

namespace {

template <class Function>
Function* find(void* libc, const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(libc, name));
}

LibcMalloc look_up() noexcept {
  const LibcMalloc of_process = {std::malloc, std::aligned_alloc, std::free};
  if (!is_mimalloc_of_process()) return of_process;
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);  // never closed
  if (libc == nullptr) return of_process;
  const LibcMalloc found = {find<void*(std::size_t)>(libc, "malloc"),
                            find<void*(std::size_t, std::size_t)>(libc, "aligned_alloc"),
                            find<void(void*)>(libc, "free")};
  return found.allocate != nullptr && found.allocate_aligned != nullptr && found.free != nullptr
             ? found
             : of_process;
}

}  // namespace

const LibcMalloc& libc_malloc() noexcept {
  static const LibcMalloc found = look_up();
  return found;
}

}  // namespace heddle::heap
