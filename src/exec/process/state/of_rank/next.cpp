// libc's functions behind ours, found one by one when a strand first asks, or all at once.

#include <dlfcn.h>
#include <string.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process_of_rank {

namespace {

// All names for which this library calls next().
constexpr const char* kNames[] = {
#include "next_names.inc"
};
constexpr size_t kCount = sizeof kNames / sizeof kNames[0];

// Atomic: strands may look while another one finds all. Each writes the same.
constinit void* found[kCount] = {};
constinit bool has_found = false;

}  // namespace

void* find_next(const char* name) noexcept {
  if (!__atomic_load_n(&has_found, __ATOMIC_ACQUIRE)) return dlsym(RTLD_NEXT, name);
  for (size_t i = 0; i < kCount; ++i) {
    if (strcmp(kNames[i], name) == 0 && found[i] != nullptr) return found[i];
  }
  return dlsym(RTLD_NEXT, name);
}

void find_all_next() noexcept {
  if (__atomic_load_n(&has_found, __ATOMIC_ACQUIRE)) return;
  for (size_t i = 0; i < kCount; ++i) {
    __atomic_store_n(&found[i], dlsym(RTLD_NEXT, kNames[i]), __ATOMIC_RELAXED);
  }
  __atomic_store_n(&has_found, true, __ATOMIC_RELEASE);
}

}  // namespace heddle::process_of_rank
