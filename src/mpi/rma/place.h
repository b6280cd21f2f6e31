// place.h — what a call touches at its target, and whether it may.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// What a call touches at its target.
struct Place {
  int rank;
  MPI_Count displacement;  // in the target's units; in a dynamic window an address
  MPI_Count count;
  const datatype::Datatype* type;
};

enum class Needs { kAnyEpoch, kLocks };

// The address of the displacement. Fails unless the target is a member, the rank has such an epoch
// there, and all bytes that the place says lie in the target's memory. No bytes lie anywhere.
Error reach(const Place& place, Window& window, Needs needs, std::byte** address);

// What reach() finds, in the usual case, for calls that need any epoch: adjacent bytes in memory
// that this process can touch, in a window that is not dynamic. nullptr: ask reach().
[[gnu::always_inline]] inline std::byte* reach_adjacent(const Place& place,
                                                        Window& window) noexcept {
  if (static_cast<unsigned>(place.rank) >= static_cast<unsigned>(window.size()) ||
      !window.epochs().reaches(place.rank) || !place.type->dense()) {
    return nullptr;
  }
  const Member& member = window.member(place.rank);
  MPI_Count begin = 0;
  const MPI_Count bytes = place.count * place.type->size();
  if (member.base == nullptr || member.regions != nullptr ||
      __builtin_mul_overflow(place.displacement, member.unit, &begin) || begin < 0 ||
      bytes > member.size - begin) {
    return nullptr;
  }
  return member.base + begin;
}

// reach(), quickly in the usual case.
[[gnu::always_inline]] inline Error find(const Place& place, Window& window, Needs needs,
                                         std::byte** address) {
  *address = needs == Needs::kAnyEpoch ? reach_adjacent(place, window) : nullptr;
  if (*address != nullptr) [[likely]]
    return {};
  return reach(place, window, needs, address);
}

}  // namespace heddle::rma
