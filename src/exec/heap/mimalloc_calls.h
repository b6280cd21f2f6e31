// mimalloc_calls.h — the functions of mimalloc that are not libc's by name, if it is the process's
// allocator.
//
// They are found by name, because the library is preloaded (launch/host/preload.h) and not linked:
// without the setting the process has glibc's malloc.
//
// Thread safety: constant once found.

#pragma once

#include <mimalloc.h>

namespace heddle::heap {

struct MimallocCalls {
  decltype(::mi_version)* version = nullptr;
  decltype(::mi_option_set_default)* set_option = nullptr;  // the user's variable wins
  decltype(::mi_manage_os_memory_ex)* manage_memory = nullptr;
  decltype(::mi_heap_new_in_arena)* new_heap = nullptr;
  decltype(::mi_heap_set_default)* set_default = nullptr;
  decltype(::mi_heap_get_default)* get_default = nullptr;
  decltype(::mi_heap_collect)* collect = nullptr;
  decltype(::mi_heap_visit_blocks)* visit = nullptr;
  decltype(::mi_thread_done)* end_thread = nullptr;
};

// True if malloc is mimalloc's, of any version.
bool is_mimalloc_of_process() noexcept;

// False: mimalloc is not the process's allocator, or is of a version whose heaps are not those of
// version 2.
bool find_mimalloc(MimallocCalls* out) noexcept;

}  // namespace heddle::heap
