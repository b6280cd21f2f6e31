#include "base/platform/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::platform {

namespace {

Mapping map(std::size_t bytes, std::size_t guard, int flags) noexcept {
  bytes = round_up(bytes, page_size());
  // All is mapped inaccessible, and then the part above the guard is opened: so a failing mprotect
  // cannot leave a stack unguarded.
  void* address = mmap(nullptr, bytes + guard, guard != 0 ? PROT_NONE : PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (address == MAP_FAILED) return {};
  char* low = static_cast<char*>(address) + guard;
  if (guard != 0 && mprotect(low, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(address, bytes + guard);
    return {};
  }
  return {low, bytes, guard};
}

}  // namespace

std::size_t page_size() noexcept {
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

Mapping map_stack(std::size_t bytes) noexcept {
  return map(bytes, kStackGuard, MAP_STACK);
}

int make_executable(const Mapping& mapping) noexcept {
  return mprotect(mapping.low, mapping.bytes, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 ? 0 : errno;
}

Mapping map_pages(std::size_t bytes) noexcept {
  return map(bytes, 0, 0);
}

void unmap(const Mapping& mapping) noexcept {
  munmap(static_cast<char*>(mapping.low) - mapping.guard, mapping.bytes + mapping.guard);
}

bool read_memory(std::uintptr_t from, void* to, std::size_t bytes) noexcept {
  const iovec here = {to, bytes};
  const iovec there = {reinterpret_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

bool is_own_page(const void* address) noexcept {
  // These bits are from the kernel's Documentation/admin-guide/mm/pagemap.rst.
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
  constexpr std::uint64_t kOfFileOrShared = std::uint64_t{1} << 61;
  std::uint64_t entry = 0;
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto page = reinterpret_cast<std::uintptr_t>(address) / page_size();
  const bool is_known =
      pread(file, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) == sizeof entry;
  close(file);
  return is_known && (entry & kPresent) != 0 && (entry & kOfFileOrShared) == 0;
}

}  // namespace heddle::platform
