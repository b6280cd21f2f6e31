#include "mpi/rma/regions.h"

#include <mpi.h>

#include <algorithm>

namespace heddle::rma {

namespace {

std::uintptr_t address_of(const void* base) noexcept {
  return reinterpret_cast<std::uintptr_t>(base);
}

}  // namespace

Regions::Sorted::const_iterator Regions::first_behind(const Sorted& regions,
                                                      std::uintptr_t address) noexcept {
  return std::partition_point(regions.begin(), regions.end(),
                              [address](const Region& region) { return region.end <= address; });
}

Error Regions::attach(const void* base, std::size_t bytes) {
  const Region fresh{address_of(base), address_of(base) + bytes};
  const MutexGuard guard(lock_);
  const auto next = first_behind(regions_, fresh.begin);
  if (next != regions_.end() && next->begin < fresh.end) {
    return Error::make(MPI_ERR_RMA_ATTACH,
                       "the %zu bytes at %p overlap memory that is attached to the window: %zu "
                       "bytes at 0x%zx; detach that first",
                       bytes, base, next->end - next->begin, next->begin);
  }
  regions_.insert(next, fresh);
  return {};
}

Error Regions::detach(const void* base) {
  const MutexGuard guard(lock_);
  const auto found = std::partition_point(
      regions_.begin(), regions_.end(),
      [base](const Region& region) { return region.begin < address_of(base); });
  if (found == regions_.end() || found->begin != address_of(base)) {
    return Error::make(MPI_ERR_RMA_ATTACH,
                       "argument base is %p, where no memory is attached to the window that "
                       "begins there",
                       base);
  }
  regions_.erase(found);
  return {};
}

bool Regions::has(std::uintptr_t begin, std::uintptr_t bytes) const noexcept {
  const MutexGuard guard(lock_);
  const std::uintptr_t end = begin + bytes;
  for (auto region = first_behind(regions_, begin); region != regions_.end(); ++region) {
    if (region->begin > begin) return false;
    if (region->end >= end) return true;
    begin = region->end;
  }
  return false;
}

}  // namespace heddle::rma
