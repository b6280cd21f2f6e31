#include "runtime/life/environment.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/job_board/abort.h"

namespace heddle::runtime {

namespace {
double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The alignment that the hints ask for, if it is a power of two and more than a cache line; else a
// cache line.
std::size_t alignment_of(const info::Info* hints) {
  constexpr std::size_t kLine = 64;
  const auto hint = hints != nullptr ? hints->get("mpi_minimum_memory_alignment") : std::nullopt;
  if (!hint) return kLine;
  std::size_t asked = 0;
  const char* end = hint->data() + hint->size();
  const auto [rest, error] = std::from_chars(hint->data(), end, asked);
  const bool valid = error == std::errc() && rest == end && std::has_single_bit(asked);
  return valid ? std::max(asked, kLine) : kLine;
}
}  // namespace

double wtime() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}

double wtick() noexcept {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}

Error abort(comm::Comm& comm, int code) {
  abort_job(code, "MPI_Abort(" + comm::describe(comm) + ", " + std::to_string(code) + ")");
}

Error processor_name(char* name, int* length) {
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "localhost");
  std::strcpy(name, host);
  *length = static_cast<int>(std::strlen(host));
  return {};
}

Error alloc_mem(MPI_Aint size, const info::Info* hints, void* base) {
  const std::size_t alignment = alignment_of(hints);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size > 0 ? static_cast<std::size_t>(size) : 1) != 0) {
    return Error::make(MPI_ERR_NO_MEM, "there is no memory for %ld bytes, aligned to %zu",
                       static_cast<long>(size), alignment);
  }
  *static_cast<void**>(base) = memory;
  return {};
}

Error free_mem(void* base) {
  std::free(base);
  return {};
}

}  // namespace heddle::runtime
