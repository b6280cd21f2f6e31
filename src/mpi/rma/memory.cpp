#include "mpi/rma/memory.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "base/platform/cpu.h"

namespace heddle::rma {

std::size_t alignment_of(const info::Info* hints) {
  constexpr std::size_t kLine = platform::kCacheLine;
  const auto hint = hints != nullptr ? hints->get("mpi_minimum_memory_alignment") : std::nullopt;
  if (!hint) return kLine;
  std::size_t asked = 0;
  const char* end = hint->data() + hint->size();
  const auto [rest, error] = std::from_chars(hint->data(), end, asked);
  const bool valid = error == std::errc() && rest == end && std::has_single_bit(asked);
  return valid ? std::max(asked, kLine) : kLine;
}

Error take_memory(MPI_Aint bytes, const info::Info* hints, void** memory) {
  const std::size_t alignment = alignment_of(hints);
  const std::size_t size = bytes > 0 ? static_cast<std::size_t>(bytes) : 1;
  if (posix_memalign(memory, alignment, size) == 0) return {};
  return Error::make(MPI_ERR_NO_MEM, "there is no memory for %ld bytes, aligned to %zu",
                     static_cast<long>(bytes), alignment);
}

Error alloc_mem(MPI_Aint size, const info::Info* hints, void* base) {
  void* memory = nullptr;
  if (Error e = take_memory(size, hints, &memory)) return e;
  *static_cast<void**>(base) = memory;
  return {};
}

Error free_mem(void* base) {
  std::free(base);
  return {};
}

}  // namespace heddle::rma
