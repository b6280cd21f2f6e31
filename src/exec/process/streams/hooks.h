// hooks.h — the host's part of reading and writing where descriptors 0, 1 and 2 of a rank lead.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stddef.h>
#include <sys/types.h>

extern "C" {

struct heddle_stream_hooks {
  // These have the results and errno of libc's functions.
  ssize_t (*read)(int descriptor, void* bytes, size_t size);
  ssize_t (*write)(int descriptor, const void* bytes, size_t size);
};

}  // extern "C"
