#include "mpi/rma/place.h"

#include <algorithm>

#include "mpi/rma/checks.h"

namespace heddle::rma {

using datatype::Datatype;

namespace {

// The bytes that a call touches at its target, from the displacement on: [begin, end).
struct Extent {
  MPI_Count begin, end;
};

// False if no memory has so many.
bool extent_of(const Place& place, Extent* extent) noexcept {
  const Datatype& type = *place.type;
  MPI_Count last = 0;  // where the last element lies
  if (place.count == 0 || type.size() == 0) {
    *extent = {0, 0};
    return true;
  }
  if (__builtin_mul_overflow(place.count - 1, type.extent(), &last)) return false;
  const MPI_Count begin = type.true_lower_bound() + std::min<MPI_Count>(last, 0);
  MPI_Count end = 0;
  if (__builtin_add_overflow(type.true_lower_bound() + type.true_extent(),
                             std::max<MPI_Count>(last, 0), &end)) {
    return false;
  }
  *extent = {begin, end};
  return true;
}

[[gnu::cold, gnu::noinline]] Error outside(const Place& place, const Extent& extent,
                                           const Window& window) {
  const Member& member = window.member(place.rank);
  if (member.regions != nullptr) {
    return Error::make(MPI_ERR_RMA_RANGE,
                       "bytes %lld to %lld from address 0x%llx on are not all attached to %s at "
                       "rank %d",
                       static_cast<long long>(extent.begin), static_cast<long long>(extent.end),
                       static_cast<unsigned long long>(place.displacement),
                       describe(window).c_str(), place.rank);
  }
  return Error::make(MPI_ERR_RMA_RANGE,
                     "bytes %lld to %lld from displacement %lld on (in units of %lld bytes) are "
                     "not all in the %lld bytes that rank %d has in %s",
                     static_cast<long long>(extent.begin), static_cast<long long>(extent.end),
                     static_cast<long long>(place.displacement),
                     static_cast<long long>(member.unit), static_cast<long long>(member.size),
                     place.rank, describe(window).c_str());
}

[[gnu::cold, gnu::noinline]] Error no_epoch(const Place& place, Window& window,
                                            const char* advice) {
  if (Error e = check_rank(place.rank, window)) return e;
  return wrong_epoch(window, advice);
}

}  // namespace

Error reach(const Place& place, Window& window, Needs needs, std::byte** address) {
  if (static_cast<unsigned>(place.rank) >= static_cast<unsigned>(window.size()) ||
      !window.epochs().reaches(place.rank)) [[unlikely]] {
    return no_epoch(place, window,
                    "it may access this target after MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
                    "MPI_Win_lock_all");
  }
  if (needs == Needs::kLocks && !window.epochs().has_locked(place.rank)) [[unlikely]] {
    return no_epoch(place, window, "calls with requests need MPI_Win_lock or MPI_Win_lock_all");
  }
  const Member& member = window.member(place.rank);
  Extent extent{};
  MPI_Count offset = 0, begin = 0, end = 0;
  const bool is_number = extent_of(place, &extent) &&
                         !__builtin_mul_overflow(place.displacement, member.unit, &offset) &&
                         !__builtin_add_overflow(offset, extent.begin, &begin) &&
                         !__builtin_add_overflow(offset, extent.end, &end);
  const bool is_inside =
      begin == end ||
      (member.regions == nullptr ? begin >= 0 && end <= member.size
                                 : member.regions->has(static_cast<std::uintptr_t>(begin),
                                                       static_cast<std::uintptr_t>(end - begin)));
  if (!is_number || !is_inside) [[unlikely]]
    return outside(place, extent, window);
  *address = member.base + offset;
  return {};
}

}  // namespace heddle::rma
