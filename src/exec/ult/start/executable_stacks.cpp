#include "exec/ult/executable_stacks.h"

#include <link.h>

#include <string_view>

#include "base/platform/memory.h"
#include "exec/ult/run/all_ults.h"

namespace heddle::ult {

namespace {

// 1: the file asks for executable stacks. One without the header does, too, except for the kernel's
// own.
int wants_executable_stacks(dl_phdr_info* file, std::size_t, void*) {
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = file->dlpi_phdr[i];
    if (header.p_type == PT_GNU_STACK) return (header.p_flags & PF_X) != 0 ? 1 : 0;
  }
  return std::string_view(file->dlpi_name).starts_with("linux-vdso") ? 0 : 1;
}

}  // namespace

int make_stacks_executable() noexcept {
  stacks_are_executable.store(true, std::memory_order_relaxed);
  int error = 0;
  // Under the list's lock: some milliseconds, once. make_ult lists its ult first and then looks at
  // the word above, so it sees it, or the ult is found here.
  all_ults.for_each([&error](Ult& ult) {
    if (const int failed = platform::make_executable(ult.mapping)) error = failed;
  });
  return error;
}

void adopt_stacks_of_process() noexcept {
  if (dl_iterate_phdr(wants_executable_stacks, nullptr) != 0) make_stacks_executable();
}

}  // namespace heddle::ult
