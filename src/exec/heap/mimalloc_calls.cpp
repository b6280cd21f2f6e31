#include "exec/heap/mimalloc_calls.h"

#include <dlfcn.h>

namespace heddle::heap {

namespace {

template <class Function>
bool find(const char* name, Function** out) noexcept {
  *out = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  return *out != nullptr;
}

}  // namespace

bool is_mimalloc_of_process() noexcept {
  void* const mimalloc = dlsym(RTLD_DEFAULT, "mi_malloc");
  return mimalloc != nullptr && mimalloc == dlsym(RTLD_DEFAULT, "malloc");
}

bool find_mimalloc(MimallocCalls* out) noexcept {
  MimallocCalls calls;
  if (!find("mi_version", &calls.version) || calls.version() / 100 != 2) return false;
  // Where its malloc is not the process's, heaps of ranks would hold nothing.
  if (!is_mimalloc_of_process()) return false;
  const bool has_all =
      find("mi_option_set_default", &calls.set_option) &&
      find("mi_manage_os_memory_ex", &calls.manage_memory) &&
      find("mi_heap_new_in_arena", &calls.new_heap) &&
      find("mi_heap_set_default", &calls.set_default) &&
      find("mi_heap_get_default", &calls.get_default) && find("mi_heap_collect", &calls.collect) &&
      find("mi_heap_visit_blocks", &calls.visit) && find("mi_thread_done", &calls.end_thread);
  if (has_all) *out = calls;
  return has_all;
}

}  // namespace heddle::heap
