// regions.h — the memory that a rank has attached to a dynamic window (MPI_Win_attach).
//
// Displacements into a dynamic window are addresses. Each access looks here whether its bytes lie
// in attached memory: in one region, or in several that touch each other.
//
// Thread safety: any strand, also of other ranks.

#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/mutex.h"

namespace heddle::rma {

class Regions {
 public:
  // Fails if a byte is attached already.
  Error attach(const void* base, std::size_t bytes);
  // `base` is what attach() was given.
  Error detach(const void* base);

  // True if all of [begin, begin + bytes) is attached. `bytes` is not 0.
  bool has(std::uintptr_t begin, std::uintptr_t bytes) const noexcept;

 private:
  struct Region {
    std::uintptr_t begin, end;
  };
  using Sorted = std::vector<Region>;

  // The first region that ends behind `address`.
  static Sorted::const_iterator first_behind(const Sorted& regions,
                                             std::uintptr_t address) noexcept;

  // Lock: guards what a rank has attached to one dynamic window; held across taking memory.
  mutable Mutex lock_;
  Sorted regions_ GUARDED_BY(lock_);  // by address; no two overlap
};

}  // namespace heddle::rma
