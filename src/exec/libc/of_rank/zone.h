// zone.h — calls libc with this rank's time zone (exec/libc/zone.h); where no host runs the program,
// with libc's.
//
// Thread safety: any strand.

#pragma once

#include "exec/libc/hooks.h"
#include "exec/libc/of_rank/hosted.h"

namespace heddle::libc_of_rank {

// Which TZ: that of now, as tzset does, or that of the last function that did so.
enum class Look { kNow, kBefore };

void call_in_zone(Look look, void (*work)(void*), void* argument) noexcept;

// Calls `work`, which calls functions of libc only.
template <class Work>
void in_zone(Look look, Work work) noexcept {
  call_in_zone(
      look, [](void* itself) { (*static_cast<Work*>(itself))(); }, &work);
}

}  // namespace heddle::libc_of_rank
