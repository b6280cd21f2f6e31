#include "exec/process/text/string_code.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>

namespace heddle::process {

namespace {

constexpr std::array kNames = {"memcmp",  "bcmp",    "memcpy",  "memmove",  "memset",  "memchr",
                               "memrchr", "strlen",  "strnlen", "strcmp",   "strncmp", "strchr",
                               "strrchr", "strcpy",  "strncpy", "stpcpy",   "strcat",  "strncat",
                               "wmemcmp", "wmemchr", "wmemset", "wcslen",   "wcscmp",  "strchrnul",
                               "wcschr",  "wcsrchr", "wcsnlen", "rawmemchr"};

// The longest of them is about as long as this.
constexpr std::uintptr_t kLongest = 2048;

std::array<std::uintptr_t, kNames.size()> begins{};

}  // namespace

void find_string_code() noexcept {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc == nullptr) return;
  // libc answers with the version that it has chosen for this processor.
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    begins[i] = reinterpret_cast<std::uintptr_t>(dlsym(libc, kNames[i]));
  }
  dlclose(libc);
}

bool has_string_code_at(std::uintptr_t address) noexcept {
  for (const std::uintptr_t begin : begins) {
    if (begin != 0 && address - begin < kLongest) return true;
  }
  return false;
}

}  // namespace heddle::process
