// preload.h — starts the host again with a program's allocator. A process has one allocator, so an
// allocator that a program brings along (jemalloc, tcmalloc, a sanitizer's) must be the host's from
// its start:
//
//   heddle-host WORDS ──► a program needs libjemalloc ──► exec heddle-host allocator=PATH WORDS
//                                                         with LD_PRELOAD=PATH:…
//
// Libc, which all ranks share, then allocates by it, too, and a program may free what strdup
// returned. Once it is loaded the variable is what it was, so ranks and their children see nothing
// of this.
//
// Thread safety: before the host has a second thread.

#pragma once

namespace heddle::launch {

// Becomes a host with `allocator` preloaded. Returns only if that fails. `argv` is main's.
void begin_again_with(const char* allocator, char** argv);

// Undoes what begin_again_with did to the environment.
void forget_preload(const char* allocator);

}  // namespace heddle::launch
