// stripes.h — what makes accumulates atomic with each other: locks, each for some pages of memory.
//
// An accumulate is atomic for each element, not for the whole call (MPI 5.0 §12.7.1). So a vector
// is combined a page at a time: the stripe of the page is locked, the elements that begin in it are
// combined, it is unlocked. No strand holds two stripes, so there is no order and no deadlock. An
// element belongs to the page of its first byte, wherever it ends.
//
// All accumulates, fetches and swaps of a window go through the same stripes, so all are atomic
// with each other, whatever their operations and types: more than the standard asks for. Atomic
// instructions would be as fast for one element, but not for a vector, whose loop of
// compare-and-swaps takes 40 times as long as the vectorized loop; and the two do not mix.
//
// Memory that several processes map has its stripes in front of it, for all of them. One process
// alone reaches other memory; it has stripes for all such windows.
//
// Thread safety: any strand. Nothing under a stripe switches.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform/cpu.h"
#include "base/spin_lock.h"

namespace heddle::rma {

struct alignas(platform::kCacheLine) Stripe {
  // Lock: guards the elements in some pages of windows, against accumulates at once.
  SpinLock lock;
};

constexpr std::size_t kStripes = 256;
constexpr std::uintptr_t kStripePage = 4096;

extern Stripe stripes_of_process[kStripes];

class Stripes {
 public:
  Stripes() = default;
  // `first`: kStripes of them in memory that begins at `base`, a page.
  Stripes(Stripe* first, const void* base) noexcept
      : first_(first), base_(reinterpret_cast<std::uintptr_t>(base)) {}

  Stripe& of(const void* element) const noexcept {
    return first_[(reinterpret_cast<std::uintptr_t>(element) - base_) / kStripePage % kStripes];
  }

 private:
  Stripe* first_ = stripes_of_process;
  std::uintptr_t base_ = 0;
};

}  // namespace heddle::rma
